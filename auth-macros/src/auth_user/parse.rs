//! Reads the struct and its `#[auth(…)]` attributes.

use super::attribute::{Entry, Position, entries, unquoted};
use super::role::Role;
use super::type_shape::shown;
use crate::crate_path::CratePath;
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::Span;
use syn::{Attribute, Data, DeriveInput, Fields, Generics, Ident, Path, Type};

/// The struct as the host wrote it.
pub(crate) struct Record<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) generics: &'a Generics,
    pub(crate) library: CratePath,
    /// `None` if it is no struct with named fields, which was reported.
    pub(crate) fields: Option<Vec<Field<'a>>>,
}

/// One field.
pub(crate) struct Field<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) ty: &'a Type,
    /// The role that an attribute gives it, and its place.
    pub(crate) claim: Option<(&'static Role, Span)>,
    /// The words of its attributes, known or not.
    pub(crate) words: Vec<Ident>,
}

/// Reads the input of the derive.
pub(crate) fn record<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Record<'a> {
    let library = crate_path(&input.attrs, errors);
    Record { ident: &input.ident, generics: &input.generics, library, fields: named_fields(input, errors) }
}

fn named_fields<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Option<Vec<Field<'a>>> {
    let what = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                return Some(fields.named.iter().filter_map(|named| field(named, errors)).collect());
            }
            Fields::Unnamed(_) => "a tuple struct",
            Fields::Unit => "a unit struct",
        },
        Data::Enum(_) => "an enum",
        Data::Union(_) => "a union",
    };
    let ident = &input.ident;
    let message = format!(
        "`AuthUser` can only be derived for structs with named fields, but `{ident}` is {what}\n\n\
         help: keep the user record in a struct: `struct {ident} {{ id: i64, name: String, … }}`"
    );
    errors.report(ident.span(), message);
    None
}

fn field<'a>(field: &'a syn::Field, errors: &mut Errors) -> Option<Field<'a>> {
    let name = field.ident.as_ref()?;
    let mut claim: Option<(&'static Role, Entry)> = None;
    let mut written = Vec::new();
    for entry in entries(&field.attrs, Position::Field(name), errors) {
        written.extend(entry.first());
        let Some(role) = role(&entry, errors) else { continue };
        match &claim {
            None => claim = Some((role, entry)),
            Some((first, earlier)) => {
                let help = match () {
                    () if entry.attribute == earlier.attribute => format!("write `#[auth({})]`", first.word),
                    () if first.word == role.word => "remove this".to_owned(),
                    () => format!("put `#[auth({})]` on the field that holds it", role.word),
                };
                let message = format!(
                    "this field already has the role `{}`, and a field has only one\n\nhelp: {help}",
                    first.word
                );
                entry.report(message, errors);
            }
        }
    }
    let claim = claim.map(|(role, entry)| (role, entry.span()));
    Some(Field { name, ty: &field.ty, claim, words: written })
}

/// Words of other derives, and why this one does not need them.
const ELSEWHERE: [(&str, &str); 4] = [
    ("skip", "fields without a role are ignored"),
    ("ignore", "fields without a role are ignored"),
    ("flatten", "fields with a role must be in the struct itself"),
    ("rename", "the attribute names the role, and the column has the name of the field"),
];

/// The role that an entry names. A misspelled one counts as the role that was probably meant, so that the role is not
/// reported as missing too.
fn role(entry: &Entry, errors: &mut Errors) -> Option<&'static Role> {
    let name = &entry.name;
    if name == "crate" {
        let path = entry.value.clone().and_then(|value| syn::parse2::<Path>(value).ok());
        let path = path.map_or_else(|| "::axum_auth_module".to_owned(), shown);
        let message = format!(
            "`crate` is the path to the library and belongs above the struct\n\n\
             help: put `#[auth(crate = {path})]` above the struct"
        );
        entry.report(message, errors);
        return None;
    }
    let known = Role::by_word(name);
    let in_value = entry.value.as_ref().and_then(|value| Role::by_word(&unquoted(value)));
    if let (None, Some(role)) = (known, in_value) {
        let message = format!("there is no role `{name}`\n\nhelp: write `#[auth({})]`", role.word);
        entry.report(message, errors);
        return Some(role);
    }
    if let Some((_, why)) = ELSEWHERE.iter().find(|(word, _)| word == name) {
        entry.report(format!("there is no role `{name}`\n\nhelp: remove it: {why}"), errors);
        return None;
    }
    let Some(role) = known else {
        let help = suggest::help(name, Role::words());
        entry.report(format!("there is no role `{name}`\n\n{help}"), errors);
        return suggest::nearest(name, Role::words()).and_then(Role::by_word);
    };
    if entry.value.is_some() {
        let message =
            format!("`{name}` takes no value\n\nhelp: write `#[auth({name})]` on the field that holds it");
        entry.report(message, errors);
    }
    Some(role)
}

fn crate_path(attributes: &[Attribute], errors: &mut Errors) -> CratePath {
    let mut path: Option<Path> = None;
    for entry in entries(attributes, Position::Struct, errors) {
        let name = &entry.name;
        let message = if name != "crate" {
            let help = match Role::by_word(name) {
                Some(_) => format!("put `#[auth({name})]` on the field that holds it"),
                None => "remove it: above a struct, `#[auth(crate = path)]` is the only attribute".to_owned(),
            };
            format!("`{name}` has no meaning above a struct\n\nhelp: {help}")
        } else if path.is_some() {
            "`crate` is given twice\n\nhelp: remove this".to_owned()
        } else {
            match syn::parse2(entry.value.clone().unwrap_or_default()) {
                Ok(given) => {
                    path = Some(given);
                    continue;
                }
                Err(_) => "`crate` needs the path to the library, without quotes\n\n\
                           help: write `#[auth(crate = ::axum_auth_module)]`"
                    .to_owned(),
            }
        };
        entry.report(message, errors);
    }
    if let Some(path) = &path {
        errors.call_library(&shown(path));
    }
    path.map_or_else(CratePath::in_host, CratePath::new)
}
