//! Reads the struct, and what its `#[auth(…)]` attributes mean.

use super::attribute::{Place, Word, unquoted, words};
use super::role::Role;
use super::written::shown;
use crate::crate_path::CratePath;
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::Span;
use syn::{Attribute, Data, DeriveInput, Fields, Generics, Ident, Path, Type};

/// The struct as the host wrote it.
pub(crate) struct Record<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) generics: &'a Generics,
    pub(crate) krate: CratePath,
    /// `None` when it is no struct with named fields, which has been reported.
    pub(crate) fields: Option<Vec<Field<'a>>>,
}

/// One field.
pub(crate) struct Field<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) ty: &'a Type,
    /// The role that an attribute gives it, and where.
    pub(crate) claim: Option<(&'static Role, Span)>,
    /// The words of its attributes, roles or not.
    pub(crate) words: Vec<Ident>,
}

/// Reads the input of the derive.
pub(crate) fn record<'a>(input: &'a DeriveInput, errors: &mut Errors) -> Record<'a> {
    Record {
        ident: &input.ident,
        generics: &input.generics,
        krate: crate_path(&input.attrs, errors),
        fields: named_fields(input, errors),
    }
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
        "`AuthUser` can be derived for structs with named fields, and `{ident}` is {what}\n\n\
         help: keep the user record in a struct: `struct {ident} {{ id: i64, name: String, … }}`"
    );
    errors.report(ident.span(), message);
    None
}

fn field<'a>(field: &'a syn::Field, errors: &mut Errors) -> Option<Field<'a>> {
    let name = field.ident.as_ref()?;
    let mut claim: Option<(&'static Role, Word)> = None;
    let mut written = Vec::new();
    for word in words(&field.attrs, Place::Field(name), errors) {
        written.extend(word.first());
        let Some(role) = role(&word, errors) else { continue };
        match &claim {
            None => claim = Some((role, word)),
            Some((first, said)) => {
                let help = match () {
                    () if word.attribute == said.attribute => format!("write `#[auth({})]`", first.word),
                    () if first.word == role.word => "leave it out".to_owned(),
                    () => format!("put `#[auth({})]` on the field that holds it", role.word),
                };
                let message = format!(
                    "this field already has the role `{}`; a field has one role\n\nhelp: {help}",
                    first.word
                );
                word.report(message, errors);
            }
        }
    }
    let claim = claim.map(|(role, word)| (role, word.span()));
    Some(Field { name, ty: &field.ty, claim, words: written })
}

/// What other derives know, and why this one does not ask for it.
const ELSEWHERE: [(&str, &str); 4] = [
    ("skip", "a field without a role is your own"),
    ("ignore", "a field without a role is your own"),
    ("flatten", "the fields with a role are the struct's own"),
    ("rename", "an attribute names the role, and the column is called like the field"),
];

/// The role that a word names. A misspelled one counts as the role that was probably meant, so that the role is
/// not reported as missing as well.
fn role(word: &Word, errors: &mut Errors) -> Option<&'static Role> {
    let name = &word.name;
    if name == "crate" {
        let path = word.value.clone().and_then(|value| syn::parse2::<Path>(value).ok());
        let path = path.map_or_else(|| "::axum_auth_module".to_owned(), shown);
        let message = format!(
            "`crate` says where the library is, and stands above the struct\n\n\
             help: put `#[auth(crate = {path})]` above the struct"
        );
        word.report(message, errors);
        return None;
    }
    let known = Role::by_word(name);
    let said = word.value.as_ref().and_then(|value| Role::by_word(&unquoted(value)));
    if let (None, Some(role)) = (known, said) {
        let message = format!("there is no role `{name}`\n\nhelp: write `#[auth({})]`", role.word);
        word.report(message, errors);
        return Some(role);
    }
    if let Some((_, why)) = ELSEWHERE.iter().find(|(word, _)| word == name) {
        word.report(format!("there is no role `{name}`\n\nhelp: leave it out: {why}"), errors);
        return None;
    }
    let Some(role) = known else {
        let help = suggest::help(name, Role::words());
        word.report(format!("there is no role `{name}`\n\n{help}"), errors);
        return suggest::nearest(name, Role::words()).and_then(Role::by_word);
    };
    if word.value.is_some() {
        let message =
            format!("`{name}` takes no value\n\nhelp: write `#[auth({name})]` on the field that holds it");
        word.report(message, errors);
    }
    Some(role)
}

fn crate_path(attributes: &[Attribute], errors: &mut Errors) -> CratePath {
    let mut path: Option<Path> = None;
    for word in words(attributes, Place::Struct, errors) {
        let name = &word.name;
        let message = if name != "crate" {
            let help = match Role::by_word(name) {
                Some(_) => format!("put `#[auth({name})]` on the field that holds it"),
                None => "above a struct stands `#[auth(crate = path)]` or nothing".to_owned(),
            };
            format!("`{name}` says nothing about a struct\n\nhelp: {help}")
        } else if path.is_some() {
            "`crate` is already given\n\nhelp: leave it out".to_owned()
        } else {
            match syn::parse2(word.value.clone().unwrap_or_default()) {
                Ok(given) => {
                    path = Some(given);
                    continue;
                }
                Err(_) => "`crate` needs the path to the library, without quotes\n\n\
                           help: write `#[auth(crate = ::axum_auth_module)]`"
                    .to_owned(),
            }
        };
        word.report(message, errors);
    }
    path.map(CratePath::new).unwrap_or_default()
}
