/** The part of a path behind its last dot, in lower case; of `.env` it is `env`. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}

/** Whether a whole line is a comment in one of the common notations. */
export function isComment(text: string): boolean {
  return /^(?:\/\/|\/\*|\*[ /]|#|--[ ])/.test(text.trimStart());
}

/** Whether the path names a file of tests, by the customs of the common test runners. */
export function isTestFile(path: string): boolean {
  return /(?:^|[/_.-])(?:tests?|specs?|__tests__)[/_.-]/i.test(path);
}
