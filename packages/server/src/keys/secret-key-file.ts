import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createWholeFile, writeWholeFile } from '../files/whole-file.ts';
import { refuseSharedMode } from './key-folder.ts';
import type { SecretKeyStore } from './secret-encryption.ts';

const FILE = 'secrets.key';

/** The key of sealed secrets in the data directory: `keys/secrets.key`. */
export class SecretKeyFile implements SecretKeyStore {
  readonly name: string;
  readonly mayLieInClear = true;

  constructor(dataDir: string) {
    this.name = join(dataDir, 'keys', FILE);
  }

  async read(): Promise<string | undefined> {
    if (!existsSync(this.name)) return undefined;
    refuseSharedMode(this.name, statSync(this.name).mode, 0o077, 'others may read this key; run: chmod 600');
    return readFileSync(this.name, 'utf8');
  }

  async make(content: string): Promise<void> {
    createWholeFile(this.name, `${content}\n`);
  }

  async rewrite(content: string): Promise<void> {
    writeWholeFile(this.name, `${content}\n`);
  }
}
