"""The report page in a real browser: what it shows, and what a click does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest

import leadline
from leadline.simulate import simulate

pytestmark = pytest.mark.browser

MEASURES = ["nDCG@10", "AP", "RR"]


@pytest.fixture(scope="module")
def track(tmp_path_factory: pytest.TempPathFactory) -> leadline.Track:
    folder = tmp_path_factory.mktemp("browser")
    simulate(runs=6, topics=9, depth=50, pool_depth=10, rng=4).write(folder)
    return leadline.read(folder / "qrels.txt", folder / "runs")


@pytest.fixture(scope="module")
def browser(track: leadline.Track, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    folder = tmp_path_factory.mktemp("page")
    leadline.report(track, MEASURES, output=folder / "report.html")
    options = webdriver.ChromeOptions()
    options.binary_location = which("chromium") or which("chromium-browser") or which("google-chrome")
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        "--disable-component-update --disable-sync --disable-dev-shm-usage --window-size=1280,1000"
    )
    for flag in [*flags.split(), f"--user-data-dir={folder / 'profile'}"]:
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(which("chromedriver")))
    driver.get((folder / "report.html").as_uri())
    driver.folder = folder
    try:
        yield driver
    finally:
        driver.quit()


def rows(browser, table: str) -> list[list[str]]:
    return browser.execute_script(
        "return [...document.querySelectorAll(`#${arguments[0]} tbody tr`)]"
        ".map(row => [...row.cells].map(cell => cell.textContent))",
        table,
    )


def click(browser, css: str) -> None:
    browser.execute_script("document.querySelector(arguments[0]).click()", css)


def choose(browser, select: str, option: str) -> None:
    from selenium.webdriver.support.ui import Select

    Select(browser.find_element("id", select)).select_by_visible_text(option)


def test_leaderboard_shows_the_scores_of_evaluate(browser, track: leadline.Track) -> None:
    scores = leadline.evaluate(track, MEASURES)
    shown = {row[0]: row[2:5] for row in rows(browser, "leaderboard")}
    assert set(shown) == set(track.runs)
    for r, run in enumerate(track.runs):
        assert shown[run] == [f"{scores.mean(m)[r]:.4f}" for m in MEASURES]


def test_sorting_by_a_click_on_the_header(browser, track: leadline.Track) -> None:
    headers = browser.execute_script("return [...document.querySelectorAll('#leaderboard th')].map(h => h.textContent)")
    column = headers.index("AP") + 1
    click(browser, f"#leaderboard th:nth-child({column}) button")
    down = [float(row[column - 1]) for row in rows(browser, "leaderboard")]
    assert down == sorted(down, reverse=True)
    cell = browser.find_element("css selector", f"#leaderboard th:nth-child({column})")
    assert cell.get_attribute("aria-sort") == "descending"
    click(browser, f"#leaderboard th:nth-child({column}) button")
    up = [float(row[column - 1]) for row in rows(browser, "leaderboard")]
    assert up == down[::-1]


def test_choosing_a_measure_and_a_topic_changes_the_topic_view(browser, track: leadline.Track) -> None:
    scores = leadline.evaluate(track, MEASURES)
    for measure in ("RR", "AP"):
        choose(browser, "measure", measure)
        for topic in (track.topics[0], track.topics[-1]):
            choose(browser, "topic-choice", topic)
            shown = {row[0]: row[1] for row in rows(browser, "strips")}
            assert shown
            for run, text in shown.items():
                value = scores.array(measure)[track.run(run), track.topics.index(topic)]
                assert text == f"{value:.4f}"


def test_strips_have_a_cell_for_every_rank(browser, track: leadline.Track) -> None:
    topic = track.topics[0]
    choose(browser, "topic-choice", topic)
    cells = browser.execute_script(
        "return [...document.querySelectorAll('#strips tbody tr')]"
        ".map(row => [row.cells[0].textContent, row.querySelectorAll('rect').length])"
    )
    assert dict(cells) == {run: min(len(track.indices(run, topic)), 50) for run, _ in cells}


def test_choosing_runs_adds_them_to_the_figures(browser, track: leadline.Track) -> None:
    thick = "return document.querySelectorAll('#fig-depth path[stroke-width=\"2.5\"]').length"
    before = browser.execute_script(thick)
    click(browser, "#leaderboard tbody input:not(:checked)")
    assert browser.execute_script(thick) == before + 1


def test_a_figure_can_be_downloaded(browser) -> None:
    click(browser, "#fig-depth figcaption button")
    target: Path = browser.folder / "fig-depth.svg"
    for _ in range(100):
        if target.exists() and target.stat().st_size:
            break
        time.sleep(0.1)
    text = target.read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert "<path" in text
    assert "var(--" not in text  # colours of the theme are put in


def test_both_themes_and_a_phone(browser) -> None:
    first = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    click(browser, "#theme")
    assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") != first
    click(browser, "#theme")
    browser.set_window_size(500, 900)
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth + 1")
    browser.set_window_size(1280, 1000)


def test_every_control_has_a_name(browser) -> None:
    unnamed = browser.execute_script(
        "return [...document.querySelectorAll('input, select, button')].filter(c => !(c.textContent.trim() "
        "|| c.getAttribute('aria-label') || c.closest('label'))).map(c => c.outerHTML)"
    )
    assert unnamed == []


def test_no_console_errors_and_no_requests_to_elsewhere(browser) -> None:
    import json

    assert [e for e in browser.get_log("browser") if e["level"] in ("SEVERE", "WARNING")] == []
    messages = [json.loads(e["message"])["message"] for e in browser.get_log("performance")]
    sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    asked = [p["request"]["url"] for p in sent if p["documentURL"].startswith("file:")]  # not the browser's start page
    assert asked
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
