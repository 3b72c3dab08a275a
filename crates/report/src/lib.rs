//! Tables, pictures and comparisons made from measurement rows.
