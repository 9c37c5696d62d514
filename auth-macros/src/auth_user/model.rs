//! Finds the field of each role.

use super::bounds;
use super::field_types;
use super::lifetimes;
use super::parse::{Field, Record};
use super::role::{Holds, Mapped, OPTIONAL, REQUIRED, Role};
use super::type_shape::shown;
use crate::crate_path::CratePath;
use crate::errors::Errors;
use syn::ext::IdentExt;
use syn::{Generics, Ident};

/// A user record in which every required role has its field.
pub(crate) struct User<'a> {
    pub(crate) ident: &'a Ident,
    /// The struct's generics, with the bounds under which the struct is a user record.
    pub(crate) generics: Generics,
    pub(crate) library: &'a CratePath,
    pub(crate) id: Mapped<'a>,
    /// The other eight, in the order of specification §2.1.
    pub(crate) columns: Vec<Mapped<'a>>,
    /// The fields of the optional roles.
    pub(crate) optional: Vec<Mapped<'a>>,
}

impl<'a> User<'a> {
    /// Finds the field of each role, by attribute or else by name. `None` if a field is missing or has a type that cannot
    /// hold its role, or if the struct borrows.
    pub(crate) fn of(record: &'a Record<'a>, errors: &mut Errors) -> Option<Self> {
        let fields = record.fields.as_deref()?;
        let optional: Vec<_> =
            OPTIONAL.iter().filter_map(|role| claimed(role, (fields, record.generics), errors)).collect();
        let holders: Vec<_> =
            REQUIRED.iter().map(|role| holder(role, (fields, record.generics), errors)).collect();
        report_missing(record.ident, &holders, errors);
        let mut is_right = lifetimes::check(record, errors);
        for field in holders.iter().flatten().chain(&optional) {
            is_right &= field_types::check(field, record.generics, errors);
        }

        let mut mapped = holders.into_iter().collect::<Option<Vec<_>>>()?.into_iter();
        let id = mapped.next()?;
        let columns: Vec<_> = mapped.collect();
        let generics = bounds::reading(
            record.generics,
            &record.library,
            [&id].into_iter().chain(&columns).chain(&optional),
        );
        let user = Self { ident: record.ident, generics, library: &record.library, id, columns, optional };
        is_right.then_some(user)
    }
}

/// The field that has this role by attribute.
fn claimed<'a>(
    role: &'static Role,
    (fields, generics): (&'a [Field<'a>], &Generics),
    errors: &mut Errors,
) -> Option<Mapped<'a>> {
    let mut holder: Option<Mapped<'a>> = None;
    for field in fields {
        let Some((_, span)) = field.claim.filter(|(claimed, _)| claimed.word == role.word) else { continue };
        match &holder {
            None => holder = Some(Mapped::new(role, (field.name, field.ty), Some(span), generics)),
            Some(first) => {
                let message = format!(
                    "the field `{first}` already has the role `{}`\n\nhelp: remove it here, or at `{first}`",
                    role.word,
                    first = first.name
                );
                errors.report(span, message);
            }
        }
    }
    holder
}

/// The field that has this role by attribute, or else the field without an attribute that has its name.
fn holder<'a>(
    role: &'static Role,
    (fields, generics): (&'a [Field<'a>], &Generics),
    errors: &mut Errors,
) -> Option<Mapped<'a>> {
    claimed(role, (fields, generics), errors).or_else(|| {
        let field = fields.iter().find(|field| field.claim.is_none() && field.name.unraw() == role.word)?;
        Some(Mapped::new(role, (field.name, field.ty), None, generics))
    })
}

/// Reports all required roles without a field, with lines to paste.
fn report_missing(ident: &Ident, holders: &[Option<Mapped<'_>>], errors: &mut Errors) {
    let missing =
        || REQUIRED.iter().zip(holders).filter(|(_, holder)| holder.is_none()).map(|(role, _)| role);
    // A time as the struct has one already, because the database may be unable to read another type.
    let time = holders.iter().flatten().find(|field| matches!(field.holds, Holds::NullableTimestamp));
    let time = time.map(|field| shown(field.ty)).filter(|ty| ty.contains("Option<"));
    let ty = |role: &Role| match (&time, role.holds) {
        (Some(time), Holds::NullableTimestamp) => time.clone(),
        _ => role.holds.example().to_owned(),
    };
    let lines: Vec<_> = missing().map(|role| (role.word, format!("{}: {},", role.word, ty(role)))).collect();
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
    let note = if time.is_none() && missing().any(|role| matches!(role.holds, Holds::NullableTimestamp)) {
        "\nnote: a time can also have a type of `chrono`, `time` or `jiff`; `SqlUsers` needs one of `chrono` or `time`"
    } else {
        ""
    };
    let message =
        format!("`{ident}` lacks {count} of a user record\n\nhelp: add to the struct:{lines}{note}");
    errors.report(ident.span(), message);
}
