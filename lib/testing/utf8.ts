/** Size of a text in UTF-8 bytes. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Order of two texts by their UTF-8 bytes, which is the order of a DynamoDB sort key and differs from JavaScript's above U+FFFF. */
export function compareUtf8(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) {
      return rank(a) - rank(b);
    }
  }
  return left.length - right.length;
}

// A surrogate stands for a code point above U+FFFF, so it sorts after U+E000 to U+FFFF.
function rank(codeUnit: number): number {
  return codeUnit >= 0xd800 && codeUnit <= 0xdfff ? codeUnit + 0x10000 : codeUnit;
}
