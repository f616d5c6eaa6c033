/** Ends a program: first what it has started, the last first, then its process. */
export class OrderlyEnd {
  readonly #closing: (() => Promise<unknown>)[] = [];
  #ending: Promise<void> | undefined;

  /** Whether the end has begun, so that what fails now fails because of it. */
  get hasBegun(): boolean {
    return this.#ending !== undefined;
  }

  /** Registers how something that was started is ended. */
  add(close: () => Promise<unknown>): void {
    this.#closing.push(close);
  }

  /** A second call changes nothing. */
  end(exitCode: number): Promise<void> {
    this.#ending ??= this.#close(exitCode);
    return this.#ending;
  }

  async #close(exitCode: number): Promise<void> {
    for (const close of this.#closing.toReversed()) {
      // Whatever goes wrong with one, the others are ended all the same.
      await close().catch((error: unknown) => console.error(error));
    }
    process.exit(exitCode);
  }
}
