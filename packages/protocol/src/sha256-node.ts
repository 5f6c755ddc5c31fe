import { hash } from 'node:crypto';

export function sha256Hex(input: string | Uint8Array): string {
  return hash('sha256', input, 'hex');
}
