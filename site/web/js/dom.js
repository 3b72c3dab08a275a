// Builds elements. Text only becomes text nodes, so text from a device, a gateway or a person can
// never become markup.

/** Creates an element from attributes, listeners as `onclick: f`, and children that are nodes or
 * text. */
export function h(tag, attributes = {}, ...children) {
    return build(document.createElement(tag), attributes, children);
}

/** Creates an SVG element in the same way. */
export function s(tag, attributes = {}, ...children) {
    return build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function build(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (value === undefined || value === null || value === false) continue;
        if (name.startsWith("on")) {
            if (typeof value !== "function") throw new TypeError(`${name} is no function`);
            element.addEventListener(name.slice(2), value);
        } else if (name === "value") {
            element.value = value;
        } else {
            element.setAttribute(name, value === true ? "" : String(value));
        }
    }
    append(element, children);
    return element;
}

function append(element, children) {
    for (const child of children.flat(Infinity)) {
        if (child === undefined || child === null || child === false) continue;
        element.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
    element.replaceChildren();
    append(element, children);
    return element;
}

let ids = 0;

/** A label and its control: side by side on the screen, and associated for a screen reader. */
export function field(label, control, { help, id = `field-${++ids}` } = {}) {
    control.id = id;
    const note = help && h("small", { id: `${id}-help` }, help);
    if (note) control.setAttribute("aria-describedby", note.id);
    return h("div", { class: "field" }, h("label", { for: id }, label), control, note);
}

/** A select element. Options are [value, text]. */
export function select(options, chosen, attributes = {}) {
    const element = h(
        "select",
        attributes,
        options.map(([value, text]) => h("option", { value }, text)),
    );
    element.value = chosen ?? "";
    return element;
}

/** A table in a region that scrolls by itself, also by keyboard. Cells are text, nodes, or {n:
 * number as text}, which is right-aligned. */
export function table(caption, heads, rows, { hideCaption = false } = {}) {
    const cell = (tag, content, scope) => {
        const number = content?.n !== undefined;
        const attributes = { class: number ? "n" : undefined, scope };
        return h(tag, attributes, number ? content.n : content);
    };
    return h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        h(
            "table",
            {},
            h("caption", { class: hideCaption ? "visually-hidden" : undefined }, caption),
            h("thead", {}, h("tr", {}, heads.map((head) => cell("th", head, "col")))),
            h(
                "tbody",
                {},
                rows.map((row) =>
                    h("tr", {}, row.map((content, at) =>
                        at === 0 ? cell("th", content, "row") : cell("td", content))),
                ),
            ),
        ),
    );
}
