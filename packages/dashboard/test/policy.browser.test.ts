/** The policy page, as admins use it: editing with live checks, simulation, publishing, and the two-person rule. */
import { AxeBuilder } from '@axe-core/playwright';
import type { JsonObject } from '@permitry/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import { authenticateSession } from '../../server/src/gate/access/authenticate-session.ts';
import type { AgentChanges } from '../../server/src/gate/agents/agent-profile.ts';
import { updateAgent } from '../../server/src/gate/agents/update-agent.ts';
import { proposePolicy } from '../../server/src/gate/policy-management/proposals/propose-policy.ts';
import { withdrawProposal } from '../../server/src/gate/policy-management/proposals/resolve-proposal.ts';
import { putPolicy } from '../../server/src/gate/policy-management/put-policy.ts';
import { ShadowWatch } from '../../server/src/gate/policy-management/shadow/shadow-watch.ts';
import { type AtAGate, atAGate } from './fixtures/at-a-gate.ts';
import type { OpenedPage, PageOptions } from './fixtures/open-browser.ts';
import { type BrowserPerson, OPERATOR, type ServedGate } from './fixtures/serve-gate.ts';

const POLICY: JsonObject = {
  name: 'refunds',
  default: { approvers: ['role:approver'], min_approvals: 1 },
  rules: [
    {
      name: 'small refunds',
      match: { action: 'payments.refund' },
      when: 'params.amount < 100',
      effect: 'allow',
    },
    { name: 'never drop', match: { action: 'database.drop*' }, effect: 'deny', reason: 'Not by an agent.' },
  ],
};

let { browser, served, ann, bob } = {} as AtAGate;
atAGate({ role: 'admin' }, (at) => ({ browser, served, ann, bob } = at));

const put = (document: JsonObject) =>
  putPolicy(served.gate, OPERATOR, { projectId: served.projectId, document });
const sessionOf = ({ token }: BrowserPerson) => authenticateSession(served.gate, token);
const activePolicy = async () => {
  const policy = await served.gate.storage.read.findPolicy(served.projectId);
  if (!policy) throw new Error('a project has a policy');
  return policy;
};

async function openPolicy(person: BrowserPerson, options: PageOptions = {}): Promise<OpenedPage> {
  const page = await browser.open(served, person, `/projects/${served.projectId}/policy`, options);
  await editorOf(page).waitFor();
  return page;
}

const editorOf = (page: OpenedPage) => page.getByRole('textbox', { name: 'Policy as JSON' });
const button = (page: OpenedPage, name: string | RegExp) => page.getByRole('button', { name });

async function write(page: OpenedPage, text: string): Promise<void> {
  await editorOf(page).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

/** Continues without the simulation, which yields to all other work and so takes long on a busy machine. */
async function stopSimulation(page: OpenedPage): Promise<void> {
  const stop = page.getByRole('dialog').getByRole('button', { name: 'Stop simulation', exact: true });
  const over = page.getByText(/^Simulation stopped|^Simulated on/).first();
  await stop.or(over).first().waitFor();
  // The simulation may end first, and then the button is gone.
  await stop.evaluateAll((there: HTMLElement[]) => there[0]?.click());
  await over.waitFor();
}

const written = (document: JsonObject) => JSON.stringify(document, null, 2);

/** Allows refunds up to this amount. */
function allowing(amount: number): JsonObject {
  const [small, ...others] = POLICY.rules as JsonObject[];
  return { ...POLICY, rules: [{ ...small, when: `params.amount < ${amount}` }, ...others] };
}

function shadowsOf({ listeners: { shadows } }: ServedGate['gate']): ShadowWatch {
  if (shadows instanceof ShadowWatch) return shadows;
  throw new Error('the gate evaluates its shadow policies in another way');
}

describe('the policy page', () => {
  beforeEach(async () => {
    await put(POLICY);
  });

  test('shows rules as sentences beside their JSON', async () => {
    const page = await openPolicy(ann);
    const rule = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: 'small refunds' }) });
    await expect
      .poll(() => rule.locator('.policy-sentence').innerText())
      .toBe('When anyone requests payments.refund and params.amount < 100, it is allowed.');
    await expect.poll(() => editorOf(page).innerText()).toContain('"when": "params.amount < 100"');
    await page.context().close();
  });

  test('underlines a mistake, lists it and jumps to it, until it is corrected', async () => {
    const page = await openPolicy(ann);
    const mistake = allowing(100);
    const [small] = mistake.rules as JsonObject[];
    const text = written({ ...mistake, rules: [{ ...small, when: 'params.amount < 100 &&\n parms.x' }] });
    await write(page, text);
    const found = button(page, /Unknown variable: parms/).last();
    await found.waitFor();
    const line = text.split('\n').findIndex((one) => one.includes('parms')) + 1;
    const column = (text.split('\n')[line - 1] ?? '').indexOf('parms') + 1;
    await expect.poll(() => found.innerText()).toContain(`line ${line}, column ${column}`);
    await expect.poll(() => page.locator('.cm-lintRange-error').innerText()).toBe('parms');
    await expect.poll(() => button(page, 'Review draft').isDisabled()).toBe(true);
    await found.click();
    await expect.poll(() => selectedText(page)).toBe('parms');

    await write(page, '{ "name": "x", }');
    await button(page, /Expected a name in double quotes/).waitFor();
    await page.getByText('can’t be shown as rules').waitFor();
    await write(page, written(allowing(50)));
    await page.getByText('No problems').waitFor();
    await expect.poll(() => page.locator('.policy-findings li[data-severity="error"]').count()).toBe(0);
    expect((await activePolicy()).document).toEqual(POLICY);
    await page.context().close();
  });

  test('does not overwrite a version published in between, but shows it and continues the draft from it', async () => {
    const page = await openPolicy(ann);
    await write(page, written(allowing(70)));
    await button(page, 'Review draft').click();
    await stopSimulation(page);
    const theirs = { ...POLICY, name: 'by somebody else' };
    await put(theirs);
    const { version } = await activePolicy();
    await button(page, 'Publish').click();
    await button(page, 'View their changes').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`Version ${version} by operator`).waitFor();
    await expect
      .poll(() => dialog.innerText())
      .toContain('Name changed from “refunds” to “by somebody else”');
    expect((await activePolicy()).document).toEqual(theirs);

    await dialog.getByRole('button', { name: 'Keep my draft (replaces theirs when published)' }).click();
    await button(page, 'Review draft').click();
    await dialog.getByText('Name changed from “by somebody else” to “refunds”').waitFor();
    await stopSimulation(page);
    await button(page, 'Publish').click();
    await page
      .getByText(`Version ${version + 1} is active`)
      .first()
      .waitFor();
    expect((await activePolicy()).document).toEqual(allowing(70));
    await page.context().close();
  });

  test('restores an old version as a new one', async () => {
    await put(allowing(5));
    const { version } = await activePolicy();
    const page = await openPolicy(ann);
    await page.getByRole('tab', { name: 'Versions' }).click();
    await button(page, `View version ${version - 1}`).click();
    await page.getByLabel('Compare with').selectOption(String(version));
    await page.getByText(`Changes from version ${version - 1} to version ${version}:`).waitFor();
    await button(page, 'Roll back to this version').click();
    await stopSimulation(page);
    await button(page, 'Publish').click();
    await page
      .getByText(`Version ${version + 1} is active`)
      .first()
      .waitFor();
    expect((await activePolicy()).document).toEqual(POLICY);
    await page.context().close();
  });

  test('lets an admin fill in a rule as a form, and adds it to the JSON', async () => {
    const page = await openPolicy(ann);
    await button(page, 'Add rule').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save to draft' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('big payouts');
    await dialog.getByLabel('Actions').fill('payments.payout');
    await dialog.getByLabel(/^Condition/).fill('params.amount > 5000');
    await dialog.getByRole('button', { name: 'Add approvers' }).click();
    await dialog.getByLabel('Approvals', { exact: true }).fill('2');
    await dialog.getByLabel('From').fill('role:admin');
    await expect
      .poll(() => dialog.locator('.policy-sentence').innerText())
      .toBe(
        'When anyone requests payments.payout and params.amount > 5000, it requires 2 approvals from admins (or higher roles).',
      );
    await dialog.getByRole('button', { name: 'Save to draft' }).click();
    await page.getByText('No problems').waitFor();
    await page.getByRole('heading', { name: 'big payouts' }).waitFor();
    // The draft survives a reload.
    await page.reload();
    await page.getByRole('heading', { name: 'big payouts' }).waitFor();
    await button(page, 'Discard draft').click();
    await dialog.getByRole('button', { name: 'Discard draft' }).click();
    await page.getByText('No changes').waitFor();
    await expect.poll(() => page.getByRole('heading', { name: 'big payouts' }).count()).toBe(0);
    await page.context().close();
  });

  test('tests a sample or a past request, and shows the result of each rule', async () => {
    await served.ask('payments.refund', { amount: 33, order: 'A-1' });
    const page = await openPolicy(ann);
    await page.getByRole('tab', { name: 'Test' }).click();
    await page.getByLabel('Parameters').fill('{ amount: 1 }');
    await button(page, 'Test policy').click();
    await page.getByText('Expected a name in double quotes.').waitFor();
    await page.getByLabel('Parameters').fill('{}');
    await button(page, 'Test policy').click();
    await page.getByRole('heading', { name: 'The request would be sent for review' }).waitFor();
    const small = page.getByRole('listitem').filter({ hasText: 'small refunds' });
    await small.getByText(/could not be evaluated: "params\.amount" is absent/).waitFor();
    await small.getByText('params.amount = absent').waitFor();

    await page.getByText('Past request').click();
    await page.getByRole('button', { name: /A-1/ }).first().click();
    await page.getByRole('heading', { name: 'The request would be allowed' }).waitFor();
    await small.getByText('params.amount = 33').waitFor();
    await page.context().close();
  });

  test('runs a draft as shadow policy, shows its differences, and stops it', async () => {
    const page = await openPolicy(ann);
    await write(page, written(allowing(10)));
    await page.getByText('No problems').waitFor();
    await page.getByRole('tab', { name: 'Shadow' }).click();
    await button(page, 'Run draft as shadow policy').click();
    await page.getByRole('heading', { name: 'Shadow policy' }).waitFor();
    await served.ask('payments.refund', { amount: 44 });
    await shadowsOf(served.gate).settle();
    await page
      .getByText(/Active: allowed by “small refunds” · Shadow: sent for review/)
      .first()
      .waitFor();
    await button(page, 'Stop shadow policy').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop shadow policy' }).click();
    await page.getByText('No shadow policy').waitFor();
    expect(await served.gate.storage.read.findShadow(served.projectId)).toBeUndefined();
    expect((await activePolicy()).document).toEqual(POLICY);
    await page.context().close();
  });

  test('lets a viewer read, but change nothing', async () => {
    const viewer = await served.addPerson('vi@example.org', 'viewer');
    const page = await openPolicy(viewer);
    await write(page, '{}');
    await expect.poll(() => editorOf(page).innerText()).toContain('small refunds');
    expect(await button(page, 'Add rule').count()).toBe(0);
    await expect
      .poll(() => page.getByRole('tab').allInnerTexts())
      .toEqual(['Rules', 'Versions', 'Shadow', 'Two-person rule']);
    await page.context().close();
  });
});

describe('the two-person rule', () => {
  test('lets one person propose a policy change, and another one review and approve it', async () => {
    await put(POLICY);
    const owner = await openPolicy(served.owner);
    await owner.getByRole('tab', { name: 'Two-person rule' }).click();
    await button(owner, 'Require two people for policy changes').click();
    await owner.getByRole('heading', { name: 'Policy changes need two people' }).waitFor();
    await owner.context().close();

    const mine = await openPolicy(ann);
    await write(mine, written(allowing(500)));
    await button(mine, 'Review draft').click();
    await stopSimulation(mine);
    await mine.getByLabel(/^Comment/).fill('Asked for by support.');
    await button(mine, 'Propose change').click();
    await mine.getByRole('heading', { name: 'A policy change needs another admin or owner' }).waitFor();
    await expect.poll(() => button(mine, 'Withdraw change').count()).toBe(1);
    expect(await button(mine, 'Approve change').count()).toBe(0);
    const { version } = await activePolicy();
    expect((await activePolicy()).document).toEqual(POLICY);
    // The proposer has nothing to approve. The policy page reads the proposals too, so the test leaves it first: only
    // the inbox then still waits for a response.
    await mine.goto('about:blank');
    const read = mine.waitForResponse('**/console/policy-proposals');
    await mine.goto(`${served.url}/inbox`);
    expect(await (await read).json()).toEqual({ data: [] });
    await mine.getByText(/ pending$/).waitFor();
    expect(await mine.getByText(/needs? another admin or owner/).count()).toBe(0);
    await expect.poll(() => mine.getByRole('link', { name: 'Policy', exact: true }).count()).toBe(1);
    await mine.context().close();

    const theirs = await openPolicy(bob);
    await theirs.getByRole('link', { name: 'Policy 1 policy change to review' }).waitFor();
    await theirs.getByText('ann@example.org proposed').waitFor();
    await theirs.getByText('Asked for by support.').waitFor();
    await button(theirs, 'View changes').click();
    await theirs
      .locator('ins')
      .getByText(/params\.amount < 500/)
      .waitFor();
    await stopSimulation(theirs);
    const { violations } = await new AxeBuilder({ page: theirs }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await button(theirs, 'Approve change').click();
    await theirs
      .getByText(`Version ${version + 1} is active`)
      .first()
      .waitFor();
    expect(await activePolicy()).toMatchObject({
      version: version + 1,
      document: allowing(500),
      createdBy: ann.email,
    });
    await theirs.getByRole('tab', { name: 'Versions' }).click();
    await theirs.getByText('ann@example.org, approved by bob@example.org').waitFor();
    await theirs.getByRole('link', { name: 'Policy', exact: true }).waitFor();
    await theirs.context().close();
  });

  test('shows a policy change in the inbox of a person who can approve it, until it is withdrawn', async () => {
    const page = await browser.open(served, bob, '/inbox');
    await page.getByText('Connected', { exact: true }).waitFor();
    const line = page.getByRole('link', {
      name: 'A change in Refunds needs another admin or owner',
    });
    expect(await line.count()).toBe(0);
    const propose = async () => {
      const { proposal } = await proposePolicy(served.gate, await sessionOf(ann), {
        projectId: served.projectId,
        document: allowing(2),
      });
      return { projectId: served.projectId, proposalId: proposal.id };
    };
    const first = await propose();
    await line.waitFor();
    await page.getByRole('link', { name: 'Policy 1 policy change to review' }).waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await withdrawProposal(served.gate, await sessionOf(ann), first);
    await line.waitFor({ state: 'detached' });
    const second = await propose();
    await line.click();
    await page.getByText('ann@example.org proposed').waitFor();
    await withdrawProposal(served.gate, await sessionOf(ann), second);
    await page.context().close();
  });

  test('shows a change of an agent on its page, and lists the changed labels one by one', async () => {
    const { projectId, first } = served;
    const agentId = String(first.agent_id);
    const session = await sessionOf(ann);
    const update = async (changes: AgentChanges) =>
      updateAgent(served.gate, session, { projectId, agentId, ...changes });
    await updateAgent(served.gate, OPERATOR, {
      projectId,
      agentId,
      labels: { team: 'support', region: 'eu', seat: 1 },
    });
    const { proposal } = await update({ labels: { team: 'finance, EU', region: 'eu', floor: '2' } });
    const page = await browser.open(served, bob, `/projects/${projectId}/agents/${agentId}`);
    const notice = page.locator('.notice', {
      hasText: 'A change to this agent needs another admin or owner',
    });
    await expect
      .poll(() => notice.innerText())
      .toMatch(/ann@example\.org proposed it .*: Labels\. View the change$/s);
    await notice.getByRole('link', { name: 'View the change' }).click();
    await page.getByRole('heading', { name: 'A change to an agent needs another admin or owner' }).waitFor();
    const labels = page.locator('dd').filter({ has: page.locator('ins') });
    await expect
      .poll(async () => (await labels.getByRole('listitem').allInnerTexts()).map((text) => text.trim()))
      .toEqual(['added floor = "2"', 'removed seat = 1', 'changed team = "support" team = "finance, EU"']);
    await withdrawProposal(served.gate, session, { projectId, proposalId: String(proposal?.id) });
    await page.goto(`${served.url}/projects/${projectId}/agents/${agentId}`);
    await page.getByText('region: eu').waitFor();
    expect(await notice.count()).toBe(0);
    await page.context().close();
  });

  test('lets an admin reject a policy change with a reason on a phone, and the policy stays the same', async () => {
    const before = await activePolicy();
    const proposed = await fetch(`${served.url}/v1/projects/${served.projectId}/policies/proposals`, {
      method: 'POST',
      headers: {
        cookie: `__Host-permitry_session=${ann.token}`,
        origin: served.url,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ policy: allowing(1) }),
    });
    expect(proposed.status).toBe(201);
    const page = await browser.open(served, bob, `/projects/${served.projectId}/policy`, {
      width: 390,
      theme: 'dark',
    });
    await button(page, 'Reject change').click();
    await page
      .getByRole('dialog')
      .getByLabel(/^Reason/)
      .fill('Too tight.');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject change' }).click();
    await page.getByRole('heading', { name: /needs another admin or owner/ }).waitFor({ state: 'detached' });
    const [newest] = await served.gate.storage.read.listPolicyProposals(served.projectId, { limit: 1 });
    expect(newest).toMatchObject({
      status: 'rejected',
      reason: 'Too tight.',
      resolvedBy: { id: bob.userId },
    });
    expect(await activePolicy()).toEqual(before);
    await page.context().close();
  });
});

/** The selection in the editor, which is inside a shadow root. */
function selectedText(page: OpenedPage): Promise<string> {
  return page.evaluate(() => {
    const root = document.querySelector('.policy-code')?.shadowRoot as
      | (ShadowRoot & { getSelection(): Selection | null })
      | null;
    return root?.getSelection()?.toString() ?? '';
  });
}
