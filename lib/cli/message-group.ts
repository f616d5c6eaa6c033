import { digestParts } from '../values/digest.ts';

/** SQS takes 1 to 128 printable ASCII characters. */
const GROUP_ID = /^[\x21-\x7e]{1,128}$/;

/** The message group of a key or a request id: itself where SQS takes it, else its digest. */
export const messageGroup = (id: string): string => (GROUP_ID.test(id) ? id : digestParts('group', id));
