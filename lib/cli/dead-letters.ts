import type { DeadLetter, DeadLetterBox } from './deployment.ts';

/** What becomes of a message that was looked at. */
export type Visit = 'deleted' | 'kept';

/**
 * Looks at each dead letter once, and makes what is kept visible again at the end. A group's messages come in order and at most ten
 * at once, so kept ones may hide later ones of their group.
 * @returns about how many messages were not seen
 */
export async function visitDeadLetters(
  box: DeadLetterBox,
  visit: (letter: DeadLetter) => Promise<Visit>,
): Promise<number> {
  const kept = new Map<string, DeadLetter>();
  try {
    for (;;) {
      const letters = await box.receive();
      const unseen = letters.filter(({ messageId }) => !kept.has(messageId));
      // Held until they were visited, so that whatever is thrown, all are released.
      for (const letter of letters) kept.set(letter.messageId, letter);
      // Only known ones: the hiding of the first has ended, so the round is over.
      if (unseen.length === 0) return await box.countVisible();
      for (const letter of unseen) {
        if ((await visit(letter)) === 'deleted') kept.delete(letter.messageId);
      }
    }
  } finally {
    await box.release([...kept.values()]);
  }
}

/** Why a message was refused; `undefined`: it is not among the dead letters that can be seen. */
export async function findRefusal(box: DeadLetterBox, messageId: string): Promise<string | undefined> {
  let found: string | undefined;
  await visitDeadLetters(box, async ({ refusal }) => {
    if (refusal?.messageId === messageId) found = `${refusal.reason}: ${refusal.detail}`;
    return 'kept';
  });
  return found;
}
