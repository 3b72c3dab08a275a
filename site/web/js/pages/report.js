// A link to the lab's report, which is a separate sandboxed page.

import { ask } from "../api.js";
import { fill, h } from "../dom.js";
import { t } from "../text.js";

export const title = () => t("report.title");

export async function show({ main, signal }) {
    const response = await ask("/report", { signal });
    await response.body?.cancel();
    fill(main, h("h1", { tabindex: "-1" }, title()), h("p", {}, t("report.text")),
        h("p", {}, h("a", { class: "button main", href: "/report", target: "_blank", rel: "noopener" }, t("report.open"))));
}
