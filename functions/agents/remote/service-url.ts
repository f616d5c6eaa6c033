/** Takes the base URL of a service out of the environment. @throws what `fail` makes of the message */
export function serviceUrl(
  environment: Readonly<Record<string, string | undefined>>,
  variable: string,
  name: string,
  fail: (message: string) => Error,
): string {
  const url = environment[variable];
  if (!url) throw fail(`${variable} is not set. Set it to the base URL of the ${name}, such as http://127.0.0.1:8080.`);
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw fail(`${variable} is not an http URL. Write it with http:// or https://.`);
  return url;
}
