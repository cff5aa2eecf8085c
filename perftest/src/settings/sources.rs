//! The sources of settings in this process, and the settings that result.

use super::effective::{LayerFrom, SettingOrigin, Settings, effective};
use super::file::SettingsFile;
use super::layer::Layer;
use super::unmatched::{complaint, matches};
use crate::config::Config;
use crate::perf_test::PerfTest;
use crate::registry::groups_around;
use perftest_core::list::IntoList;
use perftest_process::project_root;
use std::path::{Path, PathBuf};

/// The default profile of a CI job.
const CI: &str = "ci";
/// The name for no profile.
const DEFAULT: &str = "default";

/// The settings of the environment and the settings file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sources {
    variables: Layer,
    file: Option<SettingsFile>,
    profile: Option<String>,
}

impl Sources {
    /// Reads the settings file around `directory`, the directory of the package.
    ///
    /// # Errors
    /// A message when the file cannot be read, or lacks the requested profile.
    pub(crate) fn load(config: &Config, directory: &Path) -> Result<Self, String> {
        let file = SettingsFile::nearest(directory, &project_root(directory))?;
        let profile = match config.profile.as_deref() {
            Some(DEFAULT) => None,
            Some(name) => Some(asked_for(name, file.as_ref())?),
            None => config.ci.is_present().then(|| CI.to_owned()),
        };
        Ok(Self { variables: config.settings, file, profile })
    }

    /// Returns the settings of `test`: the environment overrides its attribute, the attribute
    /// overrides its groups from the innermost on, and the groups override the settings file.
    pub(crate) fn of(&self, test: &PerfTest) -> Settings {
        let from = |origin, layer| LayerFrom { origin, layer };
        let mut layers = vec![
            from(SettingOrigin::Variable, self.variables),
            from(SettingOrigin::Attribute, test.settings),
        ];
        let groups = groups_around(test.module_path);
        layers.extend(
            groups.map(|group| from(SettingOrigin::Group(group.place.to_string()), group.settings)),
        );
        if let Some(file) = &self.file {
            layers.extend(file.layers(self.profile.as_deref(), |filter| matches(filter, test)));
        }
        effective(&layers)
    }

    /// Warnings about overrides that match none of `tests`, the tests of this executable, though
    /// they mean one of them: such an override has no effect.
    pub(crate) fn warnings(&self, tests: &[PerfTest]) -> Vec<String> {
        let Some(file) = &self.file else {
            return Vec::new();
        };
        let filters = file.filters(self.profile.as_deref());
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        let warning =
            |(line, filter)| Some(format!("{name}:{line}: {}", complaint(filter, tests)?));
        filters.filter_map(warning).into_list()
    }

    /// The settings file, if there is one.
    pub(crate) fn file(&self) -> Option<&PathBuf> {
        self.file.as_ref().map(|file| &file.path)
    }
}

/// Checks that a requested profile exists.
fn asked_for(name: &str, file: Option<&SettingsFile>) -> Result<String, String> {
    let profiles: Vec<&str> = file.iter().flat_map(|file| file.profiles()).into_list();
    if profiles.contains(&name) {
        return Ok(name.to_owned());
    }
    let place = file.map_or("no perftest.toml here".to_owned(), |it| it.path.display().to_string());
    let known = if profiles.is_empty() { "none".to_owned() } else { profiles.iter().joined(", ") };
    Err(format!(
        "PERFTEST_PROFILE={name}: there is no [profile.{name}] ({place}); the profiles are: {known}; \
         `{DEFAULT}` selects no profile"
    ))
}
