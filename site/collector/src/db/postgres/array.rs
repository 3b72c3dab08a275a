//! Statements whose parameters are arrays: one statement for many rows or keys.

use tokio_postgres::types::{ToSql, Type};

use crate::db::Value;

/// The values of each column of these rows, which all have as many.
pub(super) fn columns(rows: &[Vec<Value>]) -> Vec<Vec<&Value>> {
    let count = rows.first().map_or(0, Vec::len);
    let column = |at: usize| rows.iter().filter_map(|row| row.get(at)).collect();
    (0..count).map(column).collect()
}

/// The columns as the parameters of a statement.
pub(super) fn parameters<'a>(columns: &'a [Vec<&'a Value>]) -> Vec<&'a (dyn ToSql + Sync)> {
    let parameter = |column: &'a Vec<&'a Value>| column as &(dyn ToSql + Sync);
    columns.iter().map(parameter).collect()
}

/// `unnest($1::int8[], $2::text[])`: a row for each place in the arrays.
fn unnested(types: &[Type]) -> String {
    let arrays = (1..).zip(types);
    let arrays: Vec<String> = arrays
        .map(|(number, of)| format!("${number}::{}[]", of.name()))
        .collect();
    format!("unnest({})", arrays.join(", "))
}

/// `head VALUES (...) tail` for all rows.
pub(super) fn insert(head: &str, tail: &str, types: &[Type]) -> String {
    format!("{head} SELECT * FROM {} {tail}", unnested(types))
}

/// `change WHERE place` for all rows.
pub(super) fn change(change: &str, place: &str, types: &[Type]) -> String {
    format!(
        "{} FROM {} AS key({}) WHERE {}",
        of_key(change),
        unnested(types),
        names(types).join(", "),
        of_key(place)
    )
}

/// The query for all keys. The last column is the number of the key, from 1.
pub(super) fn query(sql: &str, types: &[Type]) -> String {
    format!(
        "SELECT found.*, key.number FROM {} WITH ORDINALITY AS key({}, number)
        CROSS JOIN LATERAL ({}) AS found",
        unnested(types),
        names(types).join(", "),
        of_key(sql)
    )
}

/// The names of the columns of a key.
fn names(types: &[Type]) -> Vec<String> {
    (1..=types.len())
        .map(|number| format!("c{number}"))
        .collect()
}

/// The statement with the columns of a key as its parameters.
fn of_key(sql: &str) -> String {
    sql.replace('?', "key.c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_for_one_becomes_one_for_all() {
        let types = [Type::TEXT, Type::INT8];
        assert_eq!(
            insert("INSERT INTO t(a, b)", "ON CONFLICT DO NOTHING", &types),
            "INSERT INTO t(a, b) SELECT * FROM unnest($1::text[], $2::int8[]) ON CONFLICT DO NOTHING"
        );
        assert_eq!(
            change("UPDATE t SET a = a + ?1", "b = ?2", &types),
            "UPDATE t SET a = a + key.c1 FROM unnest($1::text[], $2::int8[]) AS key(c1, c2) WHERE \
             b = key.c2"
        );
        let text = query("SELECT x FROM t WHERE a = ?1 AND b < ?2 LIMIT 1", &types);
        assert!(text.contains("key(c1, c2, number)"), "{text}");
        assert!(
            text.contains("(SELECT x FROM t WHERE a = key.c1 AND b < key.c2 LIMIT 1) AS found"),
            "{text}"
        );
    }

    #[test]
    fn columns_have_a_value_of_each_row() {
        let rows = [vec![1.into(), "a".into()], vec![2.into(), Value::Null]];
        let found = columns(&rows);
        assert_eq!(found[0], [&Value::Int(1), &Value::Int(2)]);
        assert_eq!(found[1], [&Value::Text("a".into()), &Value::Null]);
        assert!(columns(&[]).is_empty());
    }
}
