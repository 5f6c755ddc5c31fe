import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The package folder of a file. Undefined for our own sources. */
const PACKAGE_OF = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Writes the licences of the packages that the given files come from. Writes nothing if all files are ours. */
export async function writeThirdPartyNotices(files: readonly string[], path: string): Promise<void> {
  const folders = new Set(files.flatMap((file) => PACKAGE_OF.exec(file)?.[0] ?? []));
  if (folders.size === 0) return;
  const notices = await Promise.all([...folders].sort().map(noticeOf));
  await writeFile(path, `# Third-party code in this package\n\n${notices.join('\n\n')}\n`);
}

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string;
  };
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  if (!file || !license) throw new Error(`${name} has no licence file that the package could include`);
  const text = await readFile(join(folder, file), 'utf8');
  return `## ${name} ${version} (${license})\n\n\`\`\`\n${text.trim()}\n\`\`\``;
}
