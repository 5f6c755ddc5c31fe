import { beforeEach, describe, expect, it } from 'vitest';
import type { Invitation } from '../../../src/people/invitations/invitation.ts';
import type { CurrentStorage } from './conformance.ts';
import { at, aUser, ODD_TEXT } from './samples.ts';

const TOTP = { userId: 'usr_1', secret: 'v1.sealed', lastStep: 0, createdAt: at(0), confirmedAt: null };
const LINK = {
  tokenHash: 'link-1',
  kind: 'password_reset',
  userId: 'usr_1',
  createdAt: at(0),
  expiresAt: at(100),
} as const;

function anInvitation(id: string, more: Partial<Invitation> = {}): Invitation {
  return {
    id,
    projectId: 'prj_1',
    email: 'bob@example.org',
    role: 'approver',
    tokenHash: `hash of ${id}`,
    invitedBy: 'usr_1',
    invitedByDisplay: ODD_TEXT,
    broughtInBy: ['usr_1', 'usr_2'],
    createdAt: at(0),
    expiresAt: at(100),
    acceptedAt: null,
    acceptedBy: null,
    revokedAt: null,
    ...more,
  };
}

export function describeSignIn(storage: CurrentStorage): void {
  const write = <T>(work: Parameters<ReturnType<CurrentStorage>['transaction']>[0]) =>
    storage().transaction(work) as Promise<T>;

  describe('sign-in credentials', () => {
    beforeEach(() =>
      write(async (tx) => {
        await tx.insertUser(aUser('usr_1'));
        await tx.insertUser(aUser('usr_2'));
      }),
    );

    it('keep one password per person, and rehash it only if it has not changed', async () => {
      const { read } = storage();
      expect(await read.hasAnybodyToSignIn()).toBe(false);
      const password = { userId: 'usr_1', hash: 'one', changedAt: at(1) };
      await write((tx) => tx.savePassword(password));
      expect(await read.findPassword('usr_1')).toEqual(password);
      expect(await read.hasAnybodyToSignIn()).toBe(true);
      await write((tx) => tx.savePassword({ ...password, hash: 'two', changedAt: at(2) }));
      expect(await write((tx) => tx.rehashPassword('usr_1', 'one', 'three'))).toBe(false);
      expect(await write((tx) => tx.rehashPassword('usr_1', 'two', 'three'))).toBe(true);
      expect(await read.findPassword('usr_1')).toEqual({ ...password, hash: 'three', changedAt: at(2) });
    });

    it('accept each step of an authenticator app once, and only in rising order', async () => {
      const { read } = storage();
      expect(await write((tx) => tx.saveUnconfirmedTotp(TOTP))).toBe(true);
      expect(await write((tx) => tx.takeTotpStep('usr_1', 5))).toBe(false);
      expect(await write((tx) => tx.saveUnconfirmedTotp({ ...TOTP, secret: 'v1.other' }))).toBe(true);
      expect(await write((tx) => tx.confirmTotp('usr_1', 7, at(1)))).toBe(true);
      expect(await write((tx) => tx.confirmTotp('usr_1', 8, at(2)))).toBe(false);
      expect(await write((tx) => tx.saveUnconfirmedTotp(TOTP))).toBe(false);
      const taken = [];
      for (const step of [7, 8, 8, 6, 9]) taken.push(await write((tx) => tx.takeTotpStep('usr_1', step)));
      expect(taken).toEqual([false, true, false, false, true]);
      expect(await read.findTotp('usr_1')).toEqual({
        ...TOTP,
        secret: 'v1.other',
        lastStep: 9,
        confirmedAt: at(1),
      });
      expect(await write((tx) => tx.deleteTotp('usr_1'))).toBe(true);
      expect(await read.findTotp('usr_1')).toBeUndefined();
    });

    it('accept each recovery code once, until new codes replace it', async () => {
      await write((tx) => tx.replaceRecoveryCodes('usr_1', ['a', 'b']));
      await write((tx) => tx.replaceRecoveryCodes('usr_2', ['a']));
      const take = (hash: string) => write((tx) => tx.takeRecoveryCode('usr_1', hash));
      expect([await take('a'), await take('a'), await take('c')]).toEqual([true, false, false]);
      expect(await storage().read.countRecoveryCodes('usr_2')).toBe(1);
      await write((tx) => tx.replaceRecoveryCodes('usr_1', ['c']));
      expect([await take('b'), await take('c')]).toEqual([false, true]);
      expect(await storage().read.countRecoveryCodes('usr_1')).toBe(0);
    });

    it('accept a link once, for its kind, before its expiry, until a newer one replaces it', async () => {
      const { read } = storage();
      const take = (hash: string, kind: 'set_up' | 'password_reset', now: number) =>
        write((tx) => tx.takeLink(hash, kind, at(now)));
      await write((tx) => tx.replaceLinks(LINK));
      expect(await read.findLink('link-1')).toEqual(LINK);
      await write((tx) => tx.replaceLinks({ ...LINK, tokenHash: 'link-2' }));
      await write((tx) => tx.replaceLinks({ ...LINK, tokenHash: 'link-3', userId: 'usr_2' }));
      expect(await read.findLink('link-1')).toBeUndefined();
      expect(await take('link-2', 'set_up', 1)).toBe(false);
      expect(await take('link-2', 'password_reset', 100)).toBe(false);
      expect(await take('link-2', 'password_reset', 99)).toBe(true);
      expect(await take('link-2', 'password_reset', 99)).toBe(false);
      for (const [n, userId] of ['usr_1', 'usr_2'].entries())
        await write((tx) => tx.replaceLinks({ ...LINK, kind: 'set_up', tokenHash: `set-up-${n}`, userId }));
      expect(await take('set-up-0', 'set_up', 1)).toBe(false);
      expect(await take('set-up-1', 'set_up', 1)).toBe(true);
      await write((tx) => tx.deleteLinksOf('usr_2'));
      expect(await read.findLink('link-3')).toBeUndefined();
    });

    it('limit the tries of a ticket, and accept it only once', async () => {
      const ticket = { tokenHash: 'ticket', userId: 'usr_1', triesLeft: 2, expiresAt: at(10) };
      await write((tx) => tx.insertTicket(ticket));
      const tries = [];
      for (const now of [10, 9, 9, 9]) tries.push(await write((tx) => tx.tryTicket('ticket', at(now))));
      expect(tries).toEqual([false, true, true, false]);
      expect(await storage().read.findTicket('ticket')).toEqual({ ...ticket, triesLeft: 0 });
      expect(await write((tx) => tx.takeTicket('ticket'))).toBe(true);
      expect(await write((tx) => tx.takeTicket('ticket'))).toBe(false);
    });

    it('include links and tickets, which are deleted after their expiry, a few at a time', async () => {
      await write(async (tx) => {
        await tx.replaceLinks(LINK);
        for (const n of [1, 2, 3])
          await tx.insertTicket({ tokenHash: `${n}`, userId: 'usr_1', triesLeft: 1, expiresAt: at(n) });
      });
      const sweep = (now: number) => write((tx) => tx.deleteExpiredLinks(at(now), 2));
      expect([await sweep(3), await sweep(3), await sweep(100)]).toEqual([2, 1, 1]);
    });

    it('identify a person of a provider by issuer and subject', async () => {
      const { read } = storage();
      const identity = {
        id: 'idn_1',
        userId: 'usr_1',
        provider: 'example',
        issuer: 'https://id.example',
        subject: '42',
        display: ODD_TEXT,
        createdAt: at(0),
        lastUsedAt: at(0),
      };
      await write((tx) => tx.insertIdentity(identity));
      expect(await read.hasAnybodyToSignIn()).toBe(true);
      expect(await read.findIdentity('https://id.example', '43')).toBeUndefined();
      await write((tx) => tx.touchIdentity('idn_1', 'ann', at(5)));
      expect(await read.findIdentity('https://id.example', '42')).toEqual({
        ...identity,
        display: 'ann',
        lastUsedAt: at(5),
      });
      await expect(
        write((tx) => tx.insertIdentity({ ...identity, id: 'idn_2', userId: 'usr_2' })),
      ).rejects.toThrow();
      expect(await write((tx) => tx.deleteIdentity('usr_2', 'idn_1'))).toBe(false);
      expect(await write((tx) => tx.deleteIdentity('usr_1', 'idn_1'))).toBe(true);
      expect(await read.listIdentities('usr_1')).toEqual([]);
    });

    it('let a person take another name, and an address that nobody else has', async () => {
      await write((tx) => tx.renameUser('usr_1', ODD_TEXT));
      expect(await write((tx) => tx.changeAddress('usr_1', 'usr_2@example.org'))).toBe(false);
      expect(await write((tx) => tx.changeAddress('usr_1', 'new@example.org'))).toBe(true);
      expect(await storage().read.findUserByEmail('new@example.org')).toMatchObject({
        id: 'usr_1',
        name: ODD_TEXT,
      });
    });

    it('are all deleted for one person, and for no other', async () => {
      const { read } = storage();
      await write(async (tx) => {
        for (const userId of ['usr_1', 'usr_2']) {
          await tx.savePassword({ userId, hash: 'x', changedAt: at(0) });
          await tx.saveUnconfirmedTotp({ ...TOTP, userId });
          await tx.replaceRecoveryCodes(userId, ['a']);
          await tx.replaceLinks({ ...LINK, tokenHash: userId, userId });
        }
        await tx.deleteSignIn('usr_1');
      });
      expect(await read.findPassword('usr_1')).toBeUndefined();
      expect(await read.findTotp('usr_1')).toBeUndefined();
      expect(await read.countRecoveryCodes('usr_1')).toBe(0);
      expect(await read.findLink('usr_1')).toBeUndefined();
      expect(await read.findPassword('usr_2')).toBeDefined();
      expect(await read.findLink('usr_2')).toBeDefined();
    });
  });

  describe('invitations', () => {
    const accept = (id: string, now: number) => write((tx) => tx.acceptInvitation(id, 'usr_9', at(now)));

    it('are found by ID, by token, by address and by project, newest first', async () => {
      const { read } = storage();
      const [one, two] = [anInvitation('inv_1'), anInvitation('inv_2', { email: 'c@example.org' })];
      await write(async (tx) => {
        await tx.insertInvitation(one);
        await tx.insertInvitation(two);
      });
      expect(await read.findInvitation('inv_1')).toEqual(one);
      expect(await read.findInvitationByToken('hash of inv_2')).toEqual(two);
      expect(await read.listInvitations('prj_1', { limit: 1 })).toEqual([two]);
      expect(await read.listInvitations('prj_1', { beforeId: 'inv_2', limit: 5 })).toEqual([one]);
      expect(await read.listInvitationsTo('bob@example.org')).toEqual([one]);
    });

    it('are accepted once, before their expiry, and not after they are revoked', async () => {
      await write(async (tx) => {
        for (const id of ['inv_1', 'inv_2']) await tx.insertInvitation(anInvitation(id));
      });
      expect([await accept('inv_1', 100), await accept('inv_1', 99), await accept('inv_1', 99)]).toEqual([
        false,
        true,
        false,
      ]);
      expect(await write((tx) => tx.revokeInvitation('inv_1', at(99)))).toBe(false);
      expect(await write((tx) => tx.revokeInvitation('inv_2', at(5)))).toBe(true);
      expect(await accept('inv_2', 6)).toBe(false);
      expect(await storage().read.listInvitationsTo('bob@example.org')).toEqual([]);
    });

    it('are sent again with a new token and a new expiry', async () => {
      const invitation = anInvitation('inv_1');
      const renewed = { ...invitation, tokenHash: 'new', expiresAt: at(200), broughtInBy: ['usr_3'] };
      await write((tx) => tx.insertInvitation(invitation));
      expect(await write((tx) => tx.renewInvitation(renewed))).toBe(true);
      expect(await storage().read.findInvitationByToken(invitation.tokenHash)).toBeUndefined();
      expect(await storage().read.findInvitation('inv_1')).toEqual(renewed);
    });

    it('lose the addresses of the invited and the inviting person when these are erased', async () => {
      await write(async (tx) => {
        await tx.insertInvitation(anInvitation('inv_1', { invitedByDisplay: 'ann@example.org' }));
        await tx.eraseInvitee('prj_1', 'bob@example.org', 'erased bob');
        await tx.eraseInvitee('prj_1', 'ann@example.org', 'erased ann');
      });
      expect(await storage().read.findInvitation('inv_1')).toMatchObject({
        email: 'erased bob',
        invitedByDisplay: 'erased ann',
      });
    });
  });

  it('a member keeps the record of whose programs added them, whatever role they get', async () => {
    const member = {
      projectId: 'prj_1',
      userId: 'usr_1',
      email: 'usr_1@example.org',
      role: 'viewer',
      createdAt: at(0),
    } as const;
    await write(async (tx) => {
      await tx.insertUser(aUser('usr_1'));
      await tx.saveMember({ ...member, broughtInBy: ['usr_7'] });
      await tx.saveMember({ ...member, role: 'admin' });
    });
    expect(await storage().read.listMembers('prj_1')).toMatchObject([
      { role: 'admin', broughtInBy: ['usr_7'] },
    ]);
  });
}
