import * as z from 'zod';

export interface JsonServiceOptions {
  readonly baseUrl: string;
  /** For messages, for instance `ticket service`. */
  readonly name: string;
  /** The variable that its URL comes from, for messages. */
  readonly variable: string;
  /** For each request, its answer's body included, in milliseconds. */
  readonly timeoutMillis: number;
  /** The error that is thrown, from its message. */
  readonly fail: (message: string, cause?: unknown) => Error;
}

/** A service that speaks JSON over HTTP: its answers are parsed, its failures told with their remedy. */
export class JsonService {
  readonly #options: JsonServiceOptions;
  readonly #baseUrl: string;

  constructor(options: JsonServiceOptions) {
    this.#options = options;
    this.#baseUrl = options.baseUrl.endsWith('/') ? options.baseUrl : `${options.baseUrl}/`;
  }

  /** @param path relative to the base URL */
  url(path: string, query: Readonly<Record<string, string>> = {}): URL {
    const url = new URL(path, this.#baseUrl);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url;
  }

  async request<T>(url: URL, schema: z.ZodType<T>, init: RequestInit, signal?: AbortSignal): Promise<T> {
    const { name, timeoutMillis, fail } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMillis);
    const what = `${init.method} ${url.origin}${url.pathname}`;
    let response: Response;
    try {
      response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
      if (response.ok) return schema.parse(await response.json());
    } catch (error) {
      signal?.throwIfAborted();
      throw fail(this.#failureOf(error, what, timeout), error);
    }
    throw fail(`${what} answered ${response.status}. Look into the log of the ${name}.`);
  }

  #failureOf(error: unknown, what: string, timeout: AbortSignal): string {
    const { name, variable, timeoutMillis } = this.#options;
    if (timeout.aborted)
      return `${what} did not answer within ${timeoutMillis} ms. See whether the service is overloaded.`;
    if (error instanceof z.ZodError || error instanceof SyntaxError) {
      return `${what} answered something else than a ${name} does. Check that ${variable} is the ${name}.`;
    }
    return `${what} cannot be reached. Check ${variable} and that the ${name} runs.`;
  }
}

// A header takes Latin-1 only, and loses spaces at its ends.
export const wireKey = (idempotencyKey: string): string => encodeURIComponent(idempotencyKey);
