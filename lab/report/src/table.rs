//! Tables: described and rendered for text by `selo_base`, for the page here.

mod html;

pub use html::ToHtml;
pub use selo_base::table::*;
