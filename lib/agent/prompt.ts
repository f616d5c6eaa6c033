/** A prompt template with `{name}` placeholders. */
export interface Prompt {
  readonly text: string;
  /**
   * Replaces each `{name}` by the value of that name, literally and once: placeholders inside a value stay as they are,
   * and so does a placeholder without a value.
   */
  format(values: Readonly<Record<string, string>>): string;
}

/** Declares a prompt. @example definePrompt('Review {diff} in two sentences.') */
export function definePrompt(text: string): Prompt {
  return {
    text,
    format: (values) =>
      text.replace(/\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (placeholder, name: string) =>
        Object.hasOwn(values, name) ? String(values[name]) : placeholder,
      ),
  };
}
