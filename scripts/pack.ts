/**
 * Makes installable tarballs of our packages in build/packages, as they would be published: `npm run pack`. They are
 * published as JavaScript, because Node does not strip types below node_modules.
 */
import { relative } from 'node:path';
import { readFlags } from './read-flags.ts';

const { values } = readFlags({ options: { help: { type: 'boolean', short: 'h' } } });
if (values.help) {
  console.log(`Usage: npm run pack

Creates tarballs of the packages in build/packages. Install them together:
npm install PATH/build/packages/*.tgz`);
} else {
  // This module loads compilers, which --help does not need.
  const { packAgain } = await import('./pack/packed-packages.ts');
  for (const { path, bytes, files } of await packAgain()) {
    const size = `${(bytes / 1024).toFixed(0)} kB`.padStart(8);
    console.log(`${size}  ${String(files.length).padStart(4)} files  ${relative(process.cwd(), path)}`);
  }
}
