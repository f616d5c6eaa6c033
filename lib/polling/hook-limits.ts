/** Longest time of a probe, a fetch and a cancel request, each. */
export const HOOK_MILLIS = 10_000;
/** Longest time of a submit request, or of finding out whether one arrived. */
export const SUBMIT_MILLIS = 30_000;
