//! Tables: `selo_base` defines them and renders them as text, this module as HTML.

mod html;

pub use html::ToHtml;
pub use selo_base::table::*;
