/** The frame around every page: navigation at any width, also when something fails. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject } from '../../server/src/gate/projects/create-project.ts';
import { type OpenedBrowser, openBrowser } from './fixtures/open-browser.ts';
import { OPERATOR, type ServedGate, serveGate } from './fixtures/serve-gate.ts';

let browser: OpenedBrowser;
let served: ServedGate;
let otherProject: string;
beforeAll(async () => {
  browser = await openBrowser();
  served = await serveGate();
  const { project } = await createProject(served.gate, OPERATOR, {
    name: 'Deploys',
    mode: 'live',
    ownerEmail: 'owner@example.org',
  });
  otherProject = project.id;
});
afterAll(async () => {
  await served.close();
  await browser.close();
});

test('a link leads to the heading of the next page, and the document has its name', async () => {
  const page = await browser.open(served, served.owner, '/inbox');
  await page.getByRole('link', { name: 'History' }).click();
  const heading = page.getByRole('heading', { level: 1, name: 'History' });
  await heading.waitFor();
  await expect.poll(() => heading.evaluate((element) => element === document.activeElement)).toBe(true);
  await expect.poll(() => page.title()).toBe('History · Permitry');
  await expect
    .poll(() => page.getByRole('link', { name: 'History' }).getAttribute('aria-current'))
    .toBe('page');
  await page.context().close();
});

test('switching the project keeps the page, and shows whether the project is test or live', async () => {
  const page = await browser.open(served, served.owner, `/projects/${served.projectId}/members`);
  const header = page.getByRole('banner');
  await header.getByText('Test mode', { exact: true }).waitFor();
  await header.getByLabel('Project').selectOption({ label: 'Deploys' });
  await page.waitForURL(`**/projects/${otherProject}/members`);
  await header.getByText('Live', { exact: true }).waitFor();
  // The navigation keeps this project on pages whose URL names none.
  await page.getByRole('link', { name: 'Inbox', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor({ state: 'attached' });
  await expect
    .poll(() => page.getByRole('link', { name: 'Agents' }).getAttribute('href'))
    .toBe(`/projects/${otherProject}/agents`);
  await page.context().close();
});

test('on a phone the navigation is at the bottom, and the pages of the project are in a sheet', async () => {
  const page = await browser.open(served, served.owner, '/inbox', { width: 390 });
  const bar = page.locator('.bottom-bar');
  const foot = async () => {
    const box = await bar.boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0);
  };
  await expect.poll(foot).toBe(844);
  await bar.getByRole('button', { name: 'Project' }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('link', { name: 'Keys' }).click();
  await page.waitForURL('**/keys');
  await sheet.waitFor({ state: 'detached' });
  await bar.getByRole('button', { name: 'Project' }).click();
  await sheet.waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Project');
  await page.context().close();
});

test('without a network the page says so; a page that failed to load says so too, and can be reloaded', async () => {
  const page = await browser.open(served, served.owner, '/account', {
    expected:
      /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to fetch|dynamically imported|preload CSS|at Lazy|503|net::/,
  });
  await page.getByRole('heading', { name: 'Profile' }).waitFor();
  await page.context().setOffline(true);
  await page.getByText('You are offline.').waitFor();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByText('This page failed to load').waitFor();
  // The rest of the page still works and leads on.
  await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor();
  await page.context().setOffline(false);
  await page.getByText('You are offline.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Reload page' }).click();
  await page.getByRole('heading', { level: 1, name: /Audit/ }).waitFor();
  await page.context().close();
});

test.each([
  ['in a project', (id: string) => `/projects/${id}/nothing`],
  ['outside any project', () => '/nowhere/at/all'],
])('an unknown address %s leads back to the inbox', async (_of, path) => {
  const page = await browser.open(served, served.owner, path(served.projectId));
  await page.getByRole('heading', { level: 2, name: 'Page not found' }).waitFor();
  await page.getByRole('link', { name: 'Go to the inbox', exact: true }).click();
  await page.waitForURL('**/inbox');
  await page.context().close();
});

test('an unknown address says so to people who are not signed in, without sending them to sign-in', async () => {
  const page = await browser.open(served, null, '/nowhere');
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/nowhere');
  await page.getByRole('link', { name: 'Go to sign-in' }).click();
  await page.getByLabel('Email address').waitFor();
  await page.context().close();
});

test('a person who was removed from the last project sees no project, and the dashboard still works', async () => {
  const guest = await served.addPerson('guest@example.org', 'viewer');
  const page = await browser.open(served, guest, '/account');
  await page.getByText('viewer').first().waitFor();
  await served.gate.storage.transaction((tx) => tx.removeMember(served.projectId, guest.userId));
  await page.reload();
  await page.getByText('You are not a member of any project.').waitFor();
  await expect.poll(() => page.getByLabel('Project', { exact: true }).count()).toBe(0);
  await page.context().close();
});
