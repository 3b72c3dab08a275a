//! What most tests of the lab begin with: the project, its vectors, and a lab for a board.

use std::path::Path;

use selo_engine::board::Board;
use selo_engine::build::Builder;
use selo_engine::library::Unit;
use selo_engine::measure::{Lab, default_metrics};
use selo_engine::project::{Project, Selection};
use selo_vectors::Catalog;

pub struct Bed {
    pub project: Project,
    pub catalog: Catalog,
}

impl Bed {
    pub fn new() -> Bed {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let root = root.canonicalize().expect("the repository");
        let project = Project::load(&root).expect("this project");
        let catalog = project.catalog().expect("its vectors");
        Bed { project, catalog }
    }

    pub fn board(&self, name: &str) -> &Board {
        self.project.board(name).expect("a board")
    }

    pub fn uno(&self) -> &Board {
        self.board("uno")
    }

    /// A lab with all metrics of the board, all operations and no limit of cycles.
    pub fn lab<'a>(&'a self, board: &'a Board) -> Lab<'a> {
        Lab {
            project: &self.project,
            board,
            builder: Builder::new(&self.project, board).expect("its compiler"),
            catalog: &self.catalog,
            runner: board.runner.clone(),
            run: "test".into(),
            commit: String::new(),
            metrics: default_metrics(&self.project, board),
            operations: Vec::new(),
            power: None,
            cycle_limit: None,
            whole: &[],
        }
    }

    /// The units of an algorithm of a library; of one variant, if it is named.
    pub fn units<'a>(
        &'a self,
        board: &Board,
        library: &str,
        algorithm: &str,
        variant: Option<&str>,
    ) -> Vec<Unit<'a>> {
        let selection = Selection {
            libraries: vec![library.into()],
            algorithms: vec![algorithm.into()],
            variants: variant.map(str::to_owned).into_iter().collect(),
        };
        let units = self.project.units(board, &selection);
        units.unwrap_or_else(|error| panic!("{}: {error}", board.name))
    }
}
