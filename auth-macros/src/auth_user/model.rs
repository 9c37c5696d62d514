//! Which field has which role.

use super::bounds;
use super::lifetimes;
use super::parse::{Field, Record};
use super::role::{Holds, IS_ACTIVE, REQUIRED, Role};
use super::types;
use crate::crate_path::CratePath;
use crate::errors::Errors;
use syn::ext::IdentExt;
use syn::{Generics, Ident, Type};

/// A user record in which every required role has its field.
pub(crate) struct User<'a> {
    pub(crate) ident: &'a Ident,
    /// The struct's generics, with what they have to satisfy for the struct to be a user record.
    pub(crate) generics: Generics,
    pub(crate) krate: &'a CratePath,
    pub(crate) id: Mapped<'a>,
    /// The other eight, in the order of specification §2.1.
    pub(crate) columns: Vec<Mapped<'a>>,
    pub(crate) is_active: Option<Mapped<'a>>,
}

/// A role and the field that has it.
#[derive(Clone, Copy)]
pub(crate) struct Mapped<'a> {
    pub(crate) role: &'static Role,
    pub(crate) name: &'a Ident,
    pub(crate) ty: &'a Type,
}

impl<'a> User<'a> {
    /// Gives each role its field, by attribute before name. `None` when a field is missing or of a type that cannot
    /// hold its role, or when the struct borrows.
    pub(crate) fn of(record: &'a Record<'a>, errors: &mut Errors) -> Option<Self> {
        let fields = record.fields.as_deref()?;
        let is_active = claimed(&IS_ACTIVE, fields, errors);
        let holders: Vec<_> = REQUIRED.iter().map(|role| holder(role, fields, errors)).collect();
        report_missing(record.ident, &holders, errors);
        let mut is_right = lifetimes::check(record, errors);
        for field in holders.iter().flatten().chain(&is_active) {
            is_right &= types::check(field, record.generics, errors);
        }

        let mut mapped = holders.into_iter().collect::<Option<Vec<_>>>()?.into_iter();
        let id = mapped.next()?;
        let columns: Vec<_> = mapped.collect();
        let generics = bounds::reading(
            record.generics,
            &record.krate,
            [&id].into_iter().chain(&columns).chain(&is_active),
        );
        let user = Self { ident: record.ident, generics, krate: &record.krate, id, columns, is_active };
        is_right.then_some(user)
    }
}

/// The field that has this role by attribute.
fn claimed<'a>(role: &'static Role, fields: &'a [Field<'a>], errors: &mut Errors) -> Option<Mapped<'a>> {
    let mut holder: Option<Mapped<'a>> = None;
    for field in fields {
        let Some((_, span)) = field.claim.filter(|(claimed, _)| claimed.word == role.word) else { continue };
        match &holder {
            None => holder = Some(Mapped { role, name: field.name, ty: field.ty }),
            Some(first) => {
                let message = format!(
                    "the field `{first}` already has the role `{}`\n\nhelp: leave it out here, or at `{first}`",
                    role.word,
                    first = first.name
                );
                errors.report(span, message);
            }
        }
    }
    holder
}

/// The field that has this role by attribute, or else the one without an attribute that is called like it.
fn holder<'a>(role: &'static Role, fields: &'a [Field<'a>], errors: &mut Errors) -> Option<Mapped<'a>> {
    claimed(role, fields, errors).or_else(|| {
        let field = fields.iter().find(|field| field.claim.is_none() && field.name.unraw() == role.word)?;
        Some(Mapped { role, name: field.name, ty: field.ty })
    })
}

/// Names every required role that no field has, as lines to paste.
fn report_missing(ident: &Ident, holders: &[Option<Mapped<'_>>], errors: &mut Errors) {
    let missing =
        || REQUIRED.iter().zip(holders).filter(|(_, holder)| holder.is_none()).map(|(role, _)| role);
    let lines: Vec<_> =
        missing().map(|role| (role.word, format!("{}: {},", role.word, role.holds.example()))).collect();
    let Some(width) = lines.iter().map(|(_, line)| line.len()).max() else { return };
    let lines: String = lines
        .iter()
        .map(|(word, line)| {
            format!("\n    {line:width$} // or put #[auth({word})] on the field that holds it")
        })
        .collect();
    let count = match missing().count() {
        1 => "a field".to_owned(),
        count => format!("{count} fields"),
    };
    let note = if missing().any(|role| matches!(role.holds, Holds::NullableTimestamp)) {
        "\nnote: a time may be of chrono's, time's or jiff's type as well"
    } else {
        ""
    };
    let message =
        format!("`{ident}` lacks {count} that a user record needs\n\nhelp: add to the struct:{lines}{note}");
    errors.report(ident.span(), message);
}
