/** Random kills of the random-kills test. `KILLS=300` gives the long version of all kill tests. */
export const KILLS = Number(process.env.KILLS ?? 50);
export const IS_LONG = KILLS > 50;
/** Repeats the choices of an earlier run. */
export const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 32);
