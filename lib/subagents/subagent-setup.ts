import type * as z from 'zod';

/**
 * What the external kinds of sub-agents have in common: a setup carries out one invocation, with the configuration that stands beside it
 * where it is registered. An instance serves many calls; whatever belongs to one of them is in its `SubagentCall`.
 */
export abstract class SubagentSetup<Config = unknown> {
  protected readonly config: Config;

  constructor(config: Config) {
    this.config = config;
  }
}

/** A setup class, as it is registered: `{ clazz, …configuration }`. */
export interface SetupClass<Setup extends SubagentSetup = SubagentSetup> {
  new (config: never): Setup;
  readonly prototype: Setup;
  /** What its configuration must fit. @default no configuration */
  readonly configSchema?: z.ZodObject;
}
