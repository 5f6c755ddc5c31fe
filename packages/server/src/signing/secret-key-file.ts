import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../sync-folder.ts';
import { refuseSharedMode } from './key-file.ts';
import type { SecretKeyPlace } from './secret-box.ts';

const FILE = 'secrets.key';

/** The key of sealed secrets in the data directory: `keys/secrets.key`. */
export class SecretKeyFile implements SecretKeyPlace {
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
    const temporary = this.#write(content);
    try {
      linkSync(temporary, this.name);
      syncFolder(dirname(this.name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  async rewrite(content: string): Promise<void> {
    renameSync(this.#write(content), this.name);
    syncFolder(dirname(this.name));
  }

  #write(content: string): string {
    const temporary = `${this.name}.${randomBytes(6).toString('hex')}`;
    writeFileSync(temporary, `${content}\n`, { mode: 0o600, flush: true });
    return temporary;
  }
}
