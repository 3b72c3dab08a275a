// What this browser remembers: language and colours. Nothing else is kept here.

const PREFIX = "selo.";

export function preference(name) {
    try {
        return localStorage.getItem(PREFIX + name) ?? "";
    } catch {
        // Storage is forbidden: the defaults hold.
        return "";
    }
}

export function prefer(name, value) {
    try {
        if (value) localStorage.setItem(PREFIX + name, value);
        else localStorage.removeItem(PREFIX + name);
    } catch {
        // It holds until the page is left.
    }
}

/** Sets the colours: `light`, `dark`, or empty for what the system says. */
export function applyTheme(theme = preference("theme")) {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    dispatchEvent(new Event("themechange"));
}

matchMedia("(prefers-color-scheme: dark)")
    .addEventListener("change", () => dispatchEvent(new Event("themechange")));
