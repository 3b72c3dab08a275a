//! Values on their way to and from PostgreSQL.

use tokio_postgres::types::{Format, IsNull, ToSql, Type, private::BytesMut};

use crate::db::Value;

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match (self, kind) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Int(value), &Type::FLOAT8) => (*value as f64).to_sql(kind, out),
            (Value::Int(value), &Type::INT4) => i32::try_from(*value)?.to_sql(kind, out),
            (Value::Int(value), &Type::INT8) => value.to_sql(kind, out),
            (Value::Real(value), &Type::FLOAT8) => value.to_sql(kind, out),
            (Value::Text(value), &Type::TEXT | &Type::VARCHAR) => value.to_sql(kind, out),
            (Value::Blob(value), &Type::BYTEA) => value.to_sql(kind, out),
            (value, kind) => Err(format!("{value:?} is not of type {kind}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Binary
    }

    fn to_sql_checked(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        self.to_sql(kind, out)
    }
}

pub(super) fn value(
    row: &tokio_postgres::Row,
    column: usize,
) -> Result<Value, tokio_postgres::Error> {
    Ok(match *row.columns()[column].type_() {
        Type::INT8 => row.try_get::<_, Option<i64>>(column)?.into(),
        Type::INT4 => row.try_get::<_, Option<i32>>(column)?.map(i64::from).into(),
        Type::BOOL => row.try_get::<_, Option<bool>>(column)?.into(),
        Type::FLOAT8 => row.try_get::<_, Option<f64>>(column)?.into(),
        Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(column)?.into(),
        _ => row.try_get::<_, Option<String>>(column)?.into(),
    })
}

pub(super) fn parameters_of(parameters: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    parameters
        .iter()
        .map(|value| value as &(dyn ToSql + Sync))
        .collect()
}
