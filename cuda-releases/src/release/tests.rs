use super::*;

#[test]
fn every_sm_of_ptxas_13_0_has_its_generation() {
    for (generation, sms) in [
        (Generation::PreMercury, &[52, 75, 80, 86, 87, 88, 89][..]),
        (Generation::HiddenMercury, &[90]),
        (Generation::Mercury, &[100, 103, 110, 120, 121, 130]),
    ] {
        for &sm in sms {
            assert_eq!(Release::V13_0.generation(sm), generation, "sm_{sm}");
            let is_known = (75..=121).contains(&sm);
            assert_eq!(Release::V13_0.sms(generation).contains(&sm), is_known, "sm_{sm}");
        }
    }
    assert!(Release::OLDEST.sms(Generation::HiddenMercury).is_empty());
}

#[test]
fn rows_are_found_by_version_and_from_old_to_new() {
    for release in Release::all() {
        assert_eq!(Release::of_version(release.version()), Some(release));
        assert_eq!(Release::of_version(release.name()), Some(release));
        assert_eq!(Release::of_e_version(release.e_version()), Some(release));
        assert!(release.version().starts_with(&format!("{release}.")));
        assert!(release.takes_ptx(release.newest_ptx()));
    }
    assert!(Release::all().is_sorted());
    assert_eq!(Release::all().next_back(), Some(Release::NEWEST));
    for other in ["", "13", "13.00.1", "130.0", "0.1.0", "99.1.2", "12.7.1"] {
        assert_eq!(Release::of_version(other), None, "{other}");
    }
    assert_eq!((Release::of_e_version(1), Release::of_e_version(127)), (None, None));
}

/// PTX ISA, Release Notes.
#[test]
fn versions_of_ptx() {
    for (name, taken, refused) in [
        ("11.7", &[(1, 0), (6, 5), (7, 7)][..], &[(0, 9), (6, 6), (7, 8), (8, 0)][..]),
        ("12.6", &[(7, 8), (8, 5)], &[(7, 9), (8, 6), (9, 0)]),
        ("13.0", &[(8, 8), (9, 0)], &[(1, 6), (8, 9), (9, 1), (10, 0)]),
        ("13.5", &[(9, 0), (9, 5)], &[(9, 6)]),
    ] {
        let release = Release::of_version(name).unwrap();
        assert!(taken.iter().all(|version| release.takes_ptx(*version)), "{name}");
        assert!(!refused.iter().any(|version| release.takes_ptx(*version)), "{name}");
    }
}

#[test]
fn the_line_that_programs_look_for() {
    assert_eq!(Release::V13_0.banner(), "Cuda compilation tools, release 13.0, V13.0.88");
}
