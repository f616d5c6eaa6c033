import * as z from 'zod';

const MAX_ISSUES = 5;
const MAX_LENGTH = 500;

/** What does not fit a schema, as a sender can read it: the first few places. */
export function issuesText(error: z.ZodError): string {
  const text = z.prettifyError({ issues: error.issues.slice(0, MAX_ISSUES) } as z.ZodError);
  const more = error.issues.length > MAX_ISSUES ? ` … and ${error.issues.length - MAX_ISSUES} more.` : '';
  return (text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH).toWellFormed()}…` : text) + more;
}
