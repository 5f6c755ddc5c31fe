// For bundles that may run in Node as well as in a browser, and so cannot import Node's crypto module. Looks that
// module up by name at run time (Node 20.16 or newer), because Node's hash is ten times as fast.
import { sha256Hex as portableSha256Hex } from './sha256-portable.ts';

interface NodeProcess {
  getBuiltinModule?(
    id: 'crypto',
  ): { hash?(algorithm: 'sha256', input: string | Uint8Array, encoding: 'hex'): string } | undefined;
}

const { process } = globalThis as { process?: NodeProcess };
const hash = process?.getBuiltinModule?.('crypto')?.hash;

export const sha256Hex: (input: string | Uint8Array) => string =
  hash === undefined ? portableSha256Hex : (input) => hash('sha256', input, 'hex');
