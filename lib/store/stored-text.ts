/** A text that is too large for its record stands in the payload store; then only the reference is here. */
export interface StoredText {
  readonly text?: string;
  /** JSON of a `PayloadReference`. */
  readonly reference?: string;
}
