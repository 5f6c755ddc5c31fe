import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const COMPRESSIBLE = /\.(?:js|css|html|svg|webmanifest)$/;
const WORTH_BYTES = 1024;

/** Writes a `.br` and a `.gz` beside every text of the build, so that the gate compresses nothing while it serves. */
export function precompress(): Plugin {
  let folder = '';
  return {
    name: 'permitry-precompress',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    writeBundle() {
      const files = readdirSync(folder, { recursive: true, withFileTypes: true });
      for (const file of files.filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name))) {
        const path = join(file.parentPath, file.name);
        const bytes = readFileSync(path);
        if (bytes.length < WORTH_BYTES) continue;
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: 11,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        };
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
      }
    },
  };
}
