/** A stored text outside the table, named by its content. */
export interface PayloadReference {
  readonly bucket: string;
  readonly key: string;
  /** Size in UTF-8 bytes. */
  readonly bytes: number;
  /** Hex SHA-256 of the UTF-8 bytes. */
  readonly sha256: string;
}

/** Values too large for the table. A key is written once: the first writer wins, and equal content makes that harmless. */
export interface PayloadStore {
  /** @param folder first part of the key, so that everything of one run lies together */
  put(folder: string, text: string): Promise<PayloadReference>;
  /** @throws AgentError `PAYLOAD_MISSING` when nothing is stored there or its digest differs */
  get(reference: PayloadReference): Promise<string>;
}
