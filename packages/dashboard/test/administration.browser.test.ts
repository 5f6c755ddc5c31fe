/** The pages of a project, used as people use them, in a real browser with a real gate. */
import { readFile } from 'node:fs/promises';
import { verifyAuditExport } from '@permitry/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { registerAgent } from '../../server/src/gate/agents/register-agent.ts';
import { decideIntent } from '../../server/src/gate/intents/decide.ts';
import { shownHash } from '../../server/test/fixtures/as-shown.ts';
import { signedIn } from '../../server/test/fixtures/signed-in.ts';
import { type OpenedBrowser, type OpenedPage, openBrowser } from './fixtures/open-browser.ts';
import { type BrowserPerson, type ServedGate, serveGate } from './fixtures/serve-gate.ts';

let browser: OpenedBrowser;
let served: ServedGate;
let viewer: BrowserPerson;
let approver: BrowserPerson;
beforeAll(async () => {
  browser = await openBrowser();
  served = await serveGate({ mode: 'live' });
  viewer = await served.addPerson('vera@example.org', 'viewer');
  approver = await served.addPerson('ann@example.org', 'approver');
});
afterAll(async () => {
  await browser?.close();
  await served?.close();
});

function open(path: string, person: BrowserPerson = served.owner): Promise<OpenedPage> {
  return browser.open(served, person, path);
}

const inProject = (page: string) => `/projects/${served.projectId}/${page}`;
const { read } = { read: () => served.gate.storage.read };

function button(page: OpenedPage, name: string | RegExp) {
  return page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) });
}

function dialog(page: OpenedPage) {
  return page.getByRole('dialog');
}

async function seen(page: OpenedPage, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor();
}

describe('the settings of a project', () => {
  test('explain the emergency stop, stop the project, show who stopped it, and start it again', async () => {
    const page = await open(inProject('settings'));
    await button(page, 'Stop project').click();
    await expect.poll(() => dialog(page).innerText()).toContain('No permit is verified or used');
    await button(page, 'Cancel').click();
    expect((await read().findProject(served.projectId))?.stoppedAt).toBeNull();
    await button(page, 'Stop project').click();
    await dialog(page).getByRole('button', { name: 'Stop project' }).click();
    await seen(page, /^Stopped .* by owner@example\.org/);
    const refused = await served.call('POST', '/v1/intents', {
      key: served.first.agent_key,
      body: { action: 'mail.send' },
    });
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'project_stopped' } } });

    const other = await open(inProject('agents'), viewer);
    await seen(other, 'This project is stopped.');
    await button(page, 'Start project').click();
    await dialog(page).getByRole('button', { name: 'Start project' }).click();
    await seen(page, 'Started the project.');
    expect((await read().findProject(served.projectId))?.stoppedAt).toBeNull();
  });

  test('let an owner set the data retention, and ask before that erases data', async () => {
    const page = await open(inProject('settings'));
    await page.getByRole('radio', { name: 'Custom (days)' }).check();
    await page.getByRole('textbox', { name: 'Days' }).fill('0.5');
    await button(page, 'Save retention').click();
    await seen(page, /Enter a whole number of days/);
    await page.getByRole('textbox', { name: 'Days' }).fill('400');
    await button(page, 'Save retention').click();
    await dialog(page).getByRole('button', { name: 'Save and erase' }).click();
    await seen(page, 'Personal data is kept for 400 days (set for this project).');
    expect((await read().findRetention(served.projectId)).days).toBe(400);
  });

  test('let a member leave the project', async () => {
    const leaver = await served.addPerson('lee@example.org', 'viewer');
    const page = await open(inProject('settings'), leaver);
    await button(page, 'Leave project').click();
    await dialog(page).getByRole('button', { name: 'Leave project' }).click();
    await page.waitForURL(/\/projects$/);
    await seen(page, 'You’re not a member of any project');
    expect((await read().listMembers(served.projectId)).map(({ email }) => email)).not.toContain(
      'lee@example.org',
    );
  });
});

describe('the pages for members and groups', () => {
  test('let an owner invite a person by link, and revoke the invitation', async () => {
    const page = await open(inProject('members'));
    await button(page, 'Invite member').click();
    await page.getByLabel('Email address').fill('not an address');
    await dialog(page).getByRole('button', { name: 'Invite member' }).click();
    await seen(page, /Must be an email address/);
    await page.getByLabel('Email address').fill('New@example.org');
    await page.getByRole('radio', { name: /^Admin/ }).check();
    await dialog(page).getByRole('button', { name: 'Invite member' }).click();
    await seen(page, 'Share this link');
    const link = dialog(page).locator('code').first();
    await expect.poll(() => link.innerText()).toMatch(/\/invitation#[\w-]{20,}$/);
    await button(page, 'Done').click();

    await button(page, 'Revoke the invitation of new@example.org').click();
    await button(page, 'Revoke invitation').click();
    await seen(page, 'Revoked the invitation.');
    const [invitation] = await read().listInvitations(served.projectId, { limit: 1 });
    expect(invitation).toMatchObject({
      email: 'new@example.org',
      role: 'admin',
      revokedAt: expect.any(String),
    });
  });

  test('show which keys and groups are affected before a member is removed', async () => {
    const bob = await served.addPerson('bob@example.org', 'admin');
    const bobs = await signedIn(served.gate, bob.userId);
    const headers = { ...bobs.headers, 'content-type': 'application/json' };
    const made = await fetch(`${served.url}/v1/projects/${served.projectId}/keys`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ kind: 'secret', name: 'bobs service' }),
    });
    expect(made.status).toBe(201);

    const page = await open(inProject('groups'));
    await button(page, 'Create group').first().click();
    await page.getByLabel('Name', { exact: true }).fill('operations');
    await dialog(page)
      .getByRole('checkbox', { name: /bob@example\.org/ })
      .check();
    await dialog(page).getByRole('button', { name: 'Create group' }).click();
    await seen(page, 'Created the group operations.');

    await page.goto(`${served.url}${inProject('members')}`);
    await button(page, 'Change role of bob@example.org').click();
    await page.getByRole('radio', { name: /^Approver/ }).check();
    await dialog(page).getByRole('button', { name: 'Change role' }).click();
    await seen(page, 'Changed the role of bob@example.org to Approver.');

    await button(page, 'Remove bob@example.org').click();
    await seen(page, /One secret key is revoked at once/);
    const told = () => dialog(page).innerText();
    await expect.poll(told).toContain('bobs service');
    await expect.poll(told).toMatch(/No members remain in operations/);
    await dialog(page).getByRole('button', { name: 'Remove member' }).click();
    await seen(page, 'Removed bob@example.org.');
    const [group] = await read().listGroups(served.projectId);
    expect(group).toMatchObject({ name: 'operations', memberIds: [] });
    const { key } = (await made.json()) as { key: string };
    expect((await served.call('GET', `/v1/projects/${served.projectId}`, { key })).status).toBe(401);
  });

  test('let an owner change the members of a group, and remove it', async () => {
    const page = await open(inProject('groups'));
    await button(page, 'Create group').first().click();
    await page.getByLabel('Name', { exact: true }).fill('finance');
    await dialog(page).getByRole('button', { name: 'Create group' }).click();
    await button(page, 'Edit members of finance').click();
    await dialog(page)
      .getByRole('checkbox', { name: /ann@example\.org/ })
      .check();
    await dialog(page).getByRole('button', { name: 'Save members' }).click();
    await seen(page, 'Changed the group finance.');
    const groups = await read().listGroups(served.projectId);
    expect(groups.find(({ name }) => name === 'finance')?.memberIds).toEqual([approver.userId]);
    await button(page, 'Remove the group finance').click();
    await button(page, 'Remove group').click();
    await seen(page, 'Removed the group finance.');
    expect((await read().listGroups(served.projectId)).map(({ name }) => name)).not.toContain('finance');
  });
});

describe('the pages for agents and keys', () => {
  test('give a new agent its key and the lines to paste, and lead to its first request', async () => {
    const page = await open(inProject('agents/register'));
    await page.getByLabel('Name', { exact: true }).fill('refund-bot');
    expect(await page.getByLabel('Framework').isVisible()).toBe(false);
    await page.getByText('More options').click();
    await page.getByLabel('Framework').fill('own');
    await page.getByLabel('Minimum risk').selectOption('high');
    await button(page, 'Add label').click();
    await page.getByLabel('Label 1', { exact: true }).fill('team');
    await page.getByLabel('Value of label 1').fill('payments');
    await button(page, 'Register agent').click();
    await seen(page, 'Agent key: shown only once');
    const key = await page.locator('.shown-once code').innerText();
    expect(key).toMatch(/^prm_agent_live_/);
    await seen(page, `export PERMITRY_URL=${served.url}`);
    await button(page, 'Done').click();
    await seen(page, /it can’t be shown again/);

    await seen(page, 'Waiting for its first request');
    const asked = await served.call('POST', '/v1/intents', {
      key,
      body: { action: 'demo.hello', params: { to: 'world' } },
    });
    await expect
      .poll(() => page.getByRole('link', { name: 'View request' }).getAttribute('href'))
      .toBe(`/approve/${asked.body.id}`);
    await page.getByRole('checkbox', { name: 'I’ve saved this key' }).check();
    await button(page, 'Done').click();
    await expect.poll(() => page.locator('.shown-once').count()).toBe(0);

    const agent = (await read().listAgents(served.projectId, { limit: 10 })).find(
      ({ name }) => name === 'refund-bot',
    );
    expect(agent).toMatchObject({ framework: 'own', riskTier: 'high', labels: { team: 'payments' } });
  });

  test('let an owner pause an agent, resume it, and revoke it by typing its name', async () => {
    const owner = await (await signedIn(served.gate, served.owner.userId)).caller();
    const agent = await registerAgent(served.gate, owner, {
      projectId: served.projectId,
      name: 'short-lived',
    });
    const status = async () => (await read().findAgent(served.projectId, agent.id))?.status;
    const page = await open(inProject('agents'));
    await button(page, 'Pause short-lived').click();
    await seen(page, 'Paused short-lived.');
    expect(await status()).toBe('paused');
    await button(page, 'Resume short-lived').click();
    await seen(page, 'Resumed short-lived.');
    await page.getByRole('link', { name: 'short-lived' }).click();
    await button(page, 'Edit agent').click();
    await page.getByLabel('Framework').fill('langgraph');
    await button(page, 'Save changes').click();
    await seen(page, 'Saved.');
    await button(page, 'Revoke short-lived').click();
    await button(page, 'Revoke agent').click();
    await seen(page, 'Type “short-lived” to confirm.');
    expect(await status()).toBe('active');
    await dialog(page).getByRole('textbox').fill('short-lived');
    await button(page, 'Revoke agent').click();
    await seen(page, 'Revoked short-lived.');
    expect(await status()).toBe('revoked');
    await expect.poll(() => page.getByRole('button', { name: 'Create key' }).count()).toBe(0);
  });

  test('create a key with a rate limit, show it only once, and revoke it by name', async () => {
    const page = await open(inProject('keys'));
    await button(page, 'Create key').click();
    await page.getByRole('radio', { name: /^Verifier key/ }).check();
    await page.getByLabel('Name', { exact: true }).fill('executor');
    await page.getByLabel(/^Rate limit/).fill('many');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await seen(page, /Enter a whole number/);
    await page.getByLabel(/^Rate limit/).fill('60');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await seen(page, 'Verifier key: shown only once');
    const key = await page.locator('.shown-once code').innerText();
    await page.keyboard.press('Escape');
    await seen(page, 'Verifier key: shown only once');
    await page.getByRole('checkbox', { name: 'I’ve saved this key' }).check();
    await button(page, 'Done').click();
    await button(page, 'Revoke the key executor').waitFor();
    await page.locator('.shown-once').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(key);
    const use = () =>
      served.call('POST', '/v1/permits/validate', { key, body: { token: 'a.b.c', action: 'x', params: {} } });
    expect((await use()).status).toBe(400);

    await button(page, 'Revoke the key executor').click();
    await expect.poll(() => dialog(page).innerText()).toContain(`executor …${key.slice(-4)}`);
    await button(page, 'Revoke key').click();
    await seen(page, 'Revoked the key executor.');
    expect((await use()).status).toBe(401);
  });
});

describe('the audit log', () => {
  test('is filtered by the query in the URL, verified and exported', async () => {
    const intentId = await served.ask('mail.send', {});
    const ann = await signedIn(served.gate, approver.userId);
    const reason = '<img src=x onerror=alert(1)> \u202eofni';
    await decideIntent(served.gate, await ann.caller(), { intentId, decision: 'deny', reason });
    const page = await open(`${inProject('audit')}?intent_id=${intentId}&type=intent.denied`);
    await seen(page, '<img src=x onerror=alert(1)>');
    await seen(page, /U\+202E/);
    const events = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
    await expect.poll(() => events.count()).toBe(1);
    await page.getByText('Raw event').click();
    await seen(page, `"intent_id": "${intentId}"`);

    await page.getByLabel('Event type').selectOption({ label: 'Project' });
    await page.getByLabel('Request').fill('');
    await button(page, 'Apply filters').click();
    await page.waitForURL(/type=project\.created/);
    await seen(page, /started the project again/);
    await button(page, 'Clear filters').click();
    await page.waitForURL((url) => url.search === '');

    await button(page, 'Verify log').click();
    await seen(page, /^Verified: all \d+ events match$/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export log' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
    expect(await verifyAuditExport(lines)).toMatchObject({ valid: true, projectId: served.projectId });
  });
});

describe('the overview', () => {
  beforeEach(async () => {
    const ann = await signedIn(served.gate, approver.userId);
    const decided = await served.ask('mail.send', { to: 'someone' });
    await decideIntent(served.gate, await ann.caller(), {
      intentId: decided,
      decision: 'approve',
      intentHash: await shownHash(served.gate, decided),
    });
  });

  test('shows requesters, approvers, requests that expire soon, and its chart as a table', async () => {
    const waiting = await served.ask('payments.refund', { amount: 5 }, { expires_in: 600 });
    const page = await open(`${inProject('overview')}?days=7`);
    await seen(page, 'Requests by day');
    const soonest = page.getByRole('link', { name: 'payments.refund' });
    await soonest.waitFor();
    await expect.poll(() => soonest.first().getAttribute('href')).toBe(`/approve/${waiting}`);
    const deciders = page.getByRole('table', { name: 'Decisions by person' });
    await expect.poll(() => deciders.innerText()).toContain('ann@example.org');
    await page.getByText('As a table').click();
    const days = page.getByRole('table', { name: 'Requests by day and status' });
    await expect.poll(() => days.getByRole('row').count()).toBe(8);
    const chart = page.locator('svg[role="img"]');
    await expect.poll(() => chart.getAttribute('aria-label')).toMatch(/requests in 7 days/);
  });
});

test('a viewer sees the pages of a project, but no button that the gate would refuse', async () => {
  const page = await open(inProject('overview'), viewer);
  for (const [path, there] of [
    ['overview', 'Requests by day'],
    ['agents', 'first-agent'],
    ['members', 'ann@example.org'],
    ['groups', 'operations'],
    ['keys', 'Only admins and owners can see and create the keys'],
    ['audit', 'Log integrity'],
    ['settings', 'Emergency stop'],
  ] as const) {
    await page.goto(`${served.url}${inProject(path)}`);
    await seen(page, there);
    const main = page.getByRole('main');
    expect(
      await main
        .getByRole('button', {
          name: /^(New|Create|Invite|Register|Pause|Revoke|Remove|Change|Stop|Start|Rename|Save|Edit|Send|Resend)/,
        })
        .count(),
      path,
    ).toBe(0);
    expect(await main.getByRole('link', { name: 'Register agent' }).count(), path).toBe(0);
  }
  const projects = await open('/projects', viewer);
  await seen(projects, 'You are a viewer');
  expect(await button(projects, 'Create project').count()).toBe(0);
});

test('an unknown project is reported as not found', async () => {
  const page = await open('/projects/prj_00000000000000000000000000/members', viewer);
  await seen(page, 'Project not found');
});
