// The collector's API: requests, and errors in the API's terms.

/** An unsuccessful answer. `code`, `message` and `hint` are the API's. */
export class ApiError extends Error {
    constructor(status, code, message, hint) {
        super(message);
        Object.assign(this, { status, code, hint });
    }
}

async function failure(response) {
    let error;
    try {
        error = (await response.json()).error;
    } catch {
        // A proxy's error page, or an empty body.
    }
    return new ApiError(
        response.status,
        error?.code ?? "http",
        error?.message ?? `HTTP ${response.status}`,
        error?.hint ?? null,
    );
}

/** Returns the response if it is successful, else throws. */
export async function ask(path, { method = "GET", body, file, signal } = {}) {
    let response;
    try {
        response = await fetch(path, {
            method,
            signal,
            headers: body === undefined ? {} : { "content-type": "application/json" },
            body: file ?? (body === undefined ? undefined : JSON.stringify(body)),
            credentials: "same-origin",
        });
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new ApiError(0, "offline", "the collector does not answer", null);
    }
    if (!response.ok) throw await failure(response);
    return response;
}

/** Returns the API's answer to `/api/v1` + path. `query` may hold undefined members. */
export async function api(path, { query = {}, ...options } = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
    const search = given.length > 0 ? `?${new URLSearchParams(given)}` : "";
    return (await ask(`/api/v1${path}${search}`, options)).json();
}

/** The path of one station below /api/v1. */
export const stationPath = (id) => `/stations/${encodeURIComponent(id)}`;
