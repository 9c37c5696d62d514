//! Helpers of the tests of both macros: they read expansions and make wrong inputs.

use crate::catalog::{FEATURES, FeatureRow};
use proc_macro2::{Span, TokenStream, TokenTree};
use proptest::prelude::*;
use std::ops::Range;

/// The input and its expansion as formatted Rust. `file` makes a file of the expansion.
pub(crate) fn snapshot(
    input: &str,
    expand: fn(TokenStream) -> TokenStream,
    file: fn(TokenStream) -> TokenStream,
) -> String {
    let expansion = file(expand(input.parse().unwrap()));
    let formatted = prettyplease::unparse(&syn::parse2(expansion).unwrap());
    format!("// A host writes:\n{}\n\n// It becomes:\n{}", input.trim(), formatted.trim())
}

/// The messages of all errors in an expansion, one below the other.
pub(crate) fn messages(expansion: TokenStream) -> String {
    let messages: Vec<_> = reports(expansion).into_iter().map(|report| report.message).collect();
    messages.join("\n----\n")
}

/// An error in an expansion.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) message: String,
    /// The bytes of the input that it points at, or `None` for the whole call of the macro.
    pub(crate) place: Option<Range<usize>>,
}

impl Report {
    /// Whether it points at a part of this input.
    pub(crate) fn is_within(&self, input: &str) -> bool {
        self.place.clone().is_some_and(|place| input.get(place).is_some_and(|text| !text.is_empty()))
    }
}

/// All errors in an expansion.
pub(crate) fn reports(expansion: TokenStream) -> Vec<Report> {
    let mut reports = Vec::new();
    collect(expansion, &mut reports);
    reports
}

fn collect(expansion: TokenStream, reports: &mut Vec<Report>) {
    let mut error: Option<Span> = None;
    for token in expansion {
        match (token, error) {
            (TokenTree::Ident(ident), _) => error = (ident == "compile_error").then(|| ident.span()),
            (TokenTree::Group(group), Some(begin)) => {
                let message = syn::parse2::<syn::LitStr>(group.stream()).unwrap().value();
                reports.push(Report { message, place: place(begin, group.span()) });
                error = None;
            }
            (TokenTree::Group(group), None) => collect(group.stream(), reports),
            (TokenTree::Punct(_) | TokenTree::Literal(_), _) => {}
        }
    }
}

/// Every identifier, at any depth, with its bytes in the text that it is from.
pub(crate) fn identifiers(tokens: TokenStream) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => found.push((ident.to_string(), ident.span().byte_range())),
            TokenTree::Group(group) => found.extend(identifiers(group.stream())),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    found
}

/// The text with something else in this place.
pub(crate) fn replaced(text: &str, place: Range<usize>, with: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(place, with);
    text
}

/// Every token as text, delimiters included.
pub(crate) fn flat(tokens: TokenStream) -> Vec<String> {
    let mut texts = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                texts.push(format!("{:?} begins", group.delimiter()));
                texts.extend(flat(group.stream()));
                texts.push(format!("{:?} ends", group.delimiter()));
            }
            token => texts.push(token.to_string()),
        }
    }
    texts
}

/// From the beginning of the one to the end of the other. Tokens that the macro made have no text.
fn place(begin: Span, end: Span) -> Option<Range<usize>> {
    begin.source_text().and(end.source_text())?;
    Some(begin.byte_range().start..end.byte_range().end)
}

/// The features that require no cargo feature, directly or by what they require, so that the tests are the same in every
/// build.
pub(crate) fn in_every_build() -> Vec<&'static FeatureRow> {
    let needs_none =
        |row: &&'static FeatureRow| with_required(row).iter().all(|row| row.cargo_features.is_empty());
    FEATURES.iter().filter(needs_none).collect()
}

/// A feature with all that it requires.
pub(crate) fn with_required(row: &'static FeatureRow) -> Vec<&'static FeatureRow> {
    let is_required = |word| row.requires.iter().any(|required| required.any_of.first() == Some(&word));
    let required = FEATURES.iter().filter(|other| is_required(other.word));
    std::iter::once(row).chain(required.flat_map(with_required)).collect()
}

/// Every input that differs from this one by a missing or repeated token, at any depth.
pub(crate) fn slips(input: &str) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = input.parse::<TokenStream>().unwrap().into_iter().collect();
    let mut slips = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let (before, after) = (&tokens[..place], &tokens[place + 1..]);
        let mut with =
            |middle: &[TokenTree]| slips.push([before, middle, after].concat().into_iter().collect());
        with(&[]);
        with(&[token.clone(), token.clone()]);
        if let TokenTree::Group(group) = token {
            for inner in self::slips(&group.stream().to_string()) {
                with(&[proc_macro2::Group::new(group.delimiter(), inner).into()]);
            }
        }
    }
    slips
}

/// One of these words with a typo, and the word itself. The result is none of the words. A word as short as `id` could not be
/// recognised.
pub(crate) fn misspelled(words: Vec<&'static str>) -> impl Strategy<Value = (&'static str, String)> {
    let long: Vec<_> = words.iter().copied().filter(|word| word.len() > 3).collect();
    let slip = (prop::sample::select(long), any::<prop::sample::Index>(), 0..4);
    let slipped = slip.prop_map(|(word, place, kind)| {
        let mut letters: Vec<char> = word.chars().collect();
        let place = place.index(letters.len());
        match kind {
            0 => drop(letters.remove(place)),
            1 => letters.insert(place, letters[place]),
            2 => letters.swap(place.saturating_sub(1), place),
            _ => letters[place] = 'q',
        }
        (word, letters.into_iter().collect::<String>())
    });
    slipped.prop_filter("a slip that makes no difference", move |(_, slipped)| {
        !words.contains(&slipped.as_str())
    })
}

/// Meaningless token trees of these words and of other tokens of Rust.
pub(crate) fn garbage(words: Vec<&'static str>) -> impl Strategy<Value = String> {
    let marks = vec![
        ":", ",", "=", "::", ";", "?", ".", "..", "+", "-", "=>", "->", "==", "#", "$", "&", "<", ">", "|",
        "!", "@", "_", "'a", "5", "1.5", "\"text\"", "'c'", "b\"b\"", "match", "fn", "crate", "self", "Self",
        "as", "if", "r#type", "await", "a", "within", "enabled",
    ];
    let leaf = prop_oneof![prop::sample::select(words), prop::sample::select(marks)].prop_map(str::to_owned);
    leaf.prop_recursive(4, 48, 8, |inner| {
        let tokens = prop::collection::vec(inner, 0..8).prop_map(|tokens| tokens.join(" "));
        (tokens, 0..4).prop_map(|(tokens, delimiter)| match delimiter {
            0 => format!("({tokens})"),
            1 => format!("[{tokens}]"),
            2 => format!("{{{tokens}}}"),
            _ => tokens,
        })
    })
}

/// The words of this kind that `private/completion.rs` has for editors, sorted.
pub(crate) fn words_for_editors(kind: &str) -> Vec<String> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../auth/src/private/completion.rs");
    let words = syn::parse_file(&std::fs::read_to_string(file).unwrap()).unwrap();
    let module = words.items.iter().find_map(|item| match item {
        syn::Item::Mod(module) if module.ident == kind => Some(&module.content.as_ref()?.1),
        _ => None,
    });
    let public = module.unwrap().iter().flat_map(|item| match item {
        syn::Item::Fn(function) => vec![function.sig.ident.to_string()],
        syn::Item::Const(constant) => vec![constant.ident.to_string()],
        syn::Item::Use(import) if matches!(import.vis, syn::Visibility::Public(_)) => names(&import.tree),
        _ => Vec::new(),
    });
    let mut public: Vec<_> = public.collect();
    public.sort_unstable();
    public
}

/// The names that an import introduces.
fn names(tree: &syn::UseTree) -> Vec<String> {
    match tree {
        syn::UseTree::Path(path) => names(&path.tree),
        syn::UseTree::Name(name) => vec![name.ident.to_string()],
        syn::UseTree::Rename(rename) => vec![rename.rename.to_string()],
        syn::UseTree::Group(group) => group.items.iter().flat_map(names).collect(),
        syn::UseTree::Glob(_) => Vec::new(),
    }
}
