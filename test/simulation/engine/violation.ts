/** Something happened that must not. */
export class Violation extends Error {
  override readonly name = 'Violation';
}
