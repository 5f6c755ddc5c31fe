import { Buffer } from 'node:buffer';

export function encodeBase64url(input: string | Uint8Array): string {
  const bytes =
    typeof input === 'string'
      ? Buffer.from(input)
      : Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  return bytes.toString('base64url');
}

export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = Buffer.from(text, 'base64url');
  // Node decodes anything it can make sense of. Only the text that Node itself would write is canonical.
  return bytes.toString('base64url') === text ? new Uint8Array(bytes) : undefined;
}
