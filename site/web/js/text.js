// Texts and numbers in the user's language. Each language is one file in lang/.

import { clockZone, dayZone } from "./zone.js";
import en from "./lang/en.js";
import pt from "./lang/pt-BR.js";

const LANGUAGES = { en, "pt-BR": pt };
let chosen = "en";
// Locale of numbers and times: the browser's, if its language is the chosen one.
let region = "en";

export const languages = Object.keys(LANGUAGES);
export const language = () => chosen;

/** `wanted` is a language, or empty for the browser's. */
export function setLanguage(wanted) {
    const asked = wanted ? [wanted] : navigator.languages;
    const short = (tag) => tag.split("-")[0].toLowerCase();
    const known = asked.map((tag) => languages.find((one) => short(one) === short(tag)));
    chosen = known.find(Boolean) ?? "en";
    region = navigator.languages.find((tag) => short(tag) === short(chosen)) ?? chosen;
    document.documentElement.lang = chosen;
}

/** The text of a key, with `{name}` replaced by arguments. */
export function t(key, values = {}) {
    const text = LANGUAGES[chosen][key] ?? en[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** The text of a key that may not exist. */
export const known = (key) => LANGUAGES[chosen][key];

// Numbers -------------------------------------------------------------------------------

// Number of decimals for each unit.
const DIGITS = { mm: 1, Cel: 1, V: 2, "%": 0, hPa: 1, s: 0 };
const SIGNS = { Cel: "°C", 1: "", deg: "°", "deg/s": "°/s", "kW.h": "kWh", "[ppm]": "ppm", "[g]": "g" };

export const unitSign = (unit) => SIGNS[unit] ?? unit;

/** Formats by their options. Making one takes longer than using it a hundred times. */
const formats = new Map();
function made(Kind, options) {
    const key = `${Kind.name} ${region} ${JSON.stringify(options)}`;
    if (!formats.has(key)) formats.set(key, new Kind(region, options));
    return formats.get(key);
}

export function number(value, digits) {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    const options = digits === undefined
        ? { maximumFractionDigits: 3 }
        : { minimumFractionDigits: digits, maximumFractionDigits: digits };
    // Adding 0 turns -0 into 0.
    return made(Intl.NumberFormat, options).format(value + 0);
}

export const amount = (value, unit) => number(value, DIGITS[unit]);

/** A value with its unit, joined by a no-break space. */
export function quantity(value, unit) {
    const sign = unitSign(unit);
    return sign ? `${amount(value, unit)}\u00a0${sign}` : amount(value, unit);
}

let titles = {};

/** Takes the titles that the codecs give to values: `{ name: { language: title } }`. */
export function setTitles(all) {
    titles = all ?? {};
}

/** The word for a value: this file's own, else the title of the codecs, else its name. A channel
 * keeps its number. */
export function valueName(name) {
    const word = (one) => known(`value.${one}`) ?? titles[one]?.[chosen];
    const [, bare, channel] = /^(.*)_(\d+)$/.exec(name) ?? [];
    const found = word(name) ?? (bare && word(bare) && `${word(bare)} ${channel}`);
    if (found) return found;
    const plain = name.replaceAll("_", " ");
    return plain.charAt(0).toUpperCase() + plain.slice(1);
}

// Times ---------------------------------------------------------------------------------

const at = (time) => new Date(time);

export const dateTime = (time) => time
    ? made(Intl.DateTimeFormat, { dateStyle: "medium", timeStyle: "medium", timeZone: clockZone() }).format(at(time))
    : "–";

export const date = (time) => time
    ? made(Intl.DateTimeFormat, { dateStyle: "medium", timeZone: clockZone() }).format(at(time))
    : "–";

export const clock = (time, seconds = false) =>
    made(Intl.DateTimeFormat, {
        hour: "numeric", minute: "2-digit", second: seconds ? "2-digit" : undefined, timeZone: clockZone(),
    }).format(at(time));

export const day = (time, zone = dayZone()) =>
    made(Intl.DateTimeFormat, { day: "numeric", month: "short", timeZone: zone }).format(at(time));

const STEPS = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];

/** Time since a moment, in the largest unit that fits. */
export function ago(time, now = Date.now()) {
    if (!time) return t("never");
    const seconds = Math.round((at(time).getTime() - now) / 1000);
    const [unit, size] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? STEPS[3];
    const format = made(Intl.RelativeTimeFormat, { numeric: "auto" });
    return format.format(Math.trunc(seconds / size), unit);
}

/** A duration in seconds, in the largest unit that fits: "2 h", "1.5 h", "30 min". */
export function span(seconds) {
    const [unit, size] = STEPS.find(([, size]) => seconds >= size) ?? STEPS[3];
    const options = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 };
    return made(Intl.NumberFormat, options).format(seconds / size);
}

/** The value of an alarm: a silence is a duration. */
export const shown = (value, unit) => (unit === "s" && value !== null ? span(Math.round(value)) : quantity(value, unit));
