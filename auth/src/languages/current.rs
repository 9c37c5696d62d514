//! The language of what runs now.

use super::Language;

tokio::task_local! {
    static CURRENT: Language;
}

/// The language of the request that runs now, or whose task this is; and otherwise English.
pub(crate) fn current() -> Language {
    chosen().unwrap_or_default()
}

/// The language that a request has chosen, or `None` outside of requests.
pub(crate) fn chosen() -> Option<Language> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Runs this in a language.
pub(crate) async fn spoken<T>(language: Language, run: impl Future<Output = T>) -> T {
    CURRENT.scope(language, run).await
}

/// Runs this in the language of the caller, also if it becomes a task of its own.
pub(crate) fn carried<T>(run: impl Future<Output = T>) -> impl Future<Output = T> {
    let language = chosen();
    async move {
        match language {
            Some(language) => CURRENT.scope(language, run).await,
            None => run.await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_has_the_language_of_what_has_started_it() {
        let german = Language::german();
        let tag = || async { current().tag().to_owned() };
        assert_eq!(tag().await, "en");
        let task = spoken(german, async { tokio::spawn(carried(tag())).await.unwrap() });
        assert_eq!(task.await, "de");
        assert_eq!(tokio::spawn(carried(tag())).await.unwrap(), "en");
    }
}
