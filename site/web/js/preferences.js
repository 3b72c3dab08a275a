// Preferences stored in this browser: language and colours. Nothing else is stored.

const PREFIX = "selo.";

export function preference(name) {
    try {
        return localStorage.getItem(PREFIX + name) ?? "";
    } catch {
        // Storage is forbidden, so the defaults apply.
        return "";
    }
}

export function prefer(name, value) {
    try {
        if (value) localStorage.setItem(PREFIX + name, value);
        else localStorage.removeItem(PREFIX + name);
    } catch {
        // The setting then lasts until the page is left.
    }
}

/** Sets the colours: `light`, `dark`, or empty for the system's setting. */
export function applyTheme(theme = preference("theme")) {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    dispatchEvent(new Event("themechange"));
}

matchMedia("(prefers-color-scheme: dark)")
    .addEventListener("change", () => dispatchEvent(new Event("themechange")));
