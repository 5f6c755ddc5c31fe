/**
 * Takes a picture of every page of the dashboard, wide and narrow, light and dark, on a gate with a three-week past.
 * The pictures are stored in docs/screenshots, for people to look at.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveBusyGate } from '../packages/dashboard/test/fixtures/busy-gate.ts';
import { EVERY_PAGE, settled, visitorOf } from '../packages/dashboard/test/fixtures/every-page.ts';
import { openBrowser } from '../packages/dashboard/test/fixtures/open-browser.ts';
import { readFlags } from './read-flags.ts';

const HELP = `Pictures of the dashboard.

  npm run screenshots                          every page, into docs/screenshots
  npm run screenshots -- --only inbox,approve  only these pages
  npm run screenshots -- --to DIR --whole      into DIR, whole pages instead of one window
`;

const {
  values: { only, to, whole, help },
} = readFlags({
  options: {
    only: { type: 'string' },
    to: { type: 'string' },
    whole: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
if (help) {
  process.stdout.write(HELP);
  process.exit();
}

const folder = to ?? join(import.meta.dirname, '..', 'docs', 'screenshots');
const wanted = only?.split(',');
mkdirSync(folder, { recursive: true });

const [browser, busy] = await Promise.all([openBrowser(), serveBusyGate()]);
try {
  const visitors = { admin: await busy.addPerson('ann@example.org', 'admin'), owner: busy.owner };
  for (const visit of EVERY_PAGE) {
    if (wanted && !wanted.includes(visit.name)) continue;
    for (const width of [1280, 390]) {
      for (const theme of ['light', 'dark'] as const) {
        const page = await browser.open(busy, visitorOf(visit, visitors), visit.path(busy), { width, theme });
        await settled(page);
        await page.screenshot({
          path: join(folder, `${visit.name}-${width}-${theme}.png`),
          fullPage: whole === true,
        });
        await page.context().close();
      }
    }
    process.stdout.write(`${visit.name}\n`);
  }
} finally {
  await browser.close();
  await busy.close();
}
if (!wanted) writeFileSync(join(folder, 'README.md'), index());

/** A page of all the pictures, to look through. */
function index(): string {
  const rows = EVERY_PAGE.map(({ name }) => {
    const picture = (width: number, theme: string) =>
      `<img src="${name}-${width}-${theme}.png" alt="${name}, ${width} pixels wide, ${theme}" width="${width === 390 ? 140 : 330}">`;
    return `| ${name} | ${picture(1280, 'light')} ${picture(390, 'light')} | ${picture(1280, 'dark')} ${picture(390, 'dark')} |`;
  });
  return `# Pictures of the dashboard

This page shows every page of the dashboard at 1280 and 390 pixels, light and dark. Read it to see what the dashboard
looks like. \`npm run screenshots\` takes these pictures on a gate with three weeks of requests.

| page | light | dark |
|---|---|---|
${rows.join('\n')}
`;
}
