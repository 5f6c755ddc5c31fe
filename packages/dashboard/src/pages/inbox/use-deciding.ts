import { useCallback, useEffect, useState } from 'react';
import { announce, toast } from '../../ui/announce.tsx';
import { messageOf } from '../../ui/notice.tsx';
import * as words from './inbox.words.ts';
import type { InboxState } from './inbox-state.ts';
import type { DecisionResult, InboxStore } from './inbox-store.ts';
import type { Selection } from './use-selection.ts';

type Word = 'approve' | 'deny';

export interface Deciding {
  /** Pressed, but not yet confirmed. */
  one: { id: string; decision: Word } | null;
  many: Word | null;
  isBusy: boolean;
  ask(id: string, decision: Word): void;
  askMany(decision: Word | null): void;
  cancel(): void;
  /** `intentHash`: the hash of what was shown. */
  confirm(reason: string, intentHash?: string): void;
  confirmMany(decision: Word, reason: string): void;
}

/**
 * Handles a decision from the first press to the answer. The form opens only once, and the decision is sent only once.
 */
export function useDeciding(store: InboxStore, state: InboxState, selection: Selection): Deciding {
  const [one, setOne] = useState<Deciding['one']>(null);
  const [many, setMany] = useState<Word | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { selected, uncheck } = selection;

  // Another person decided it, or the selection changed: there is nothing left to confirm.
  const current = one ? state.items.get(one.id) : undefined;
  const isMoot = one !== null && (!current?.in_place || (selected !== undefined && selected.id !== one.id));
  useEffect(() => {
    if (isMoot && !isBusy) setOne(null);
  }, [isMoot, isBusy]);

  const send = async (
    requests: readonly { id: string; intentHash: string | undefined }[],
    decision: Word,
    reason: string,
  ): Promise<DecisionResult[] | null> => {
    setBusy(true);
    try {
      return await store.decide(
        requests.map(({ id, intentHash }) => ({
          intent_id: id,
          decision,
          ...(intentHash !== undefined && { intent_hash: intentHash }),
          ...(reason !== '' && { reason }),
        })),
      );
    } catch (error) {
      toast(messageOf(error), 'bad');
      return null;
    } finally {
      setBusy(false);
    }
  };

  return {
    one,
    many,
    isBusy,
    ask: useCallback((id, decision) => {
      setOne({ id, decision });
    }, []),
    askMany: setMany,
    cancel: useCallback(() => setOne(null), []),
    async confirm(reason, intentHash) {
      if (!one || isBusy) return;
      const results = await send([{ id: one.id, intentHash }], one.decision, reason);
      if (!results) return;
      setOne(null);
      const refusal = results[0]?.error;
      if (refusal) toast(refusal.message, 'bad');
      else {
        // Sighted people see it in the row; a toast would cover the next request to decide.
        announce(
          results[0]?.status === 'pending'
            ? words.moreApprovalsNeeded
            : one.decision === 'approve'
              ? words.approved
              : words.denied,
        );
        uncheck([one.id]);
        selection.move(1);
      }
    },
    async confirmMany(decision, reason) {
      if (isBusy) return;
      // The hash of each row as drawn, so that nobody approves anything that the list did not show.
      const requests = selection.checkedItems.map(({ id, intent_hash: intentHash }) => ({ id, intentHash }));
      const results = await send(requests, decision, reason);
      if (!results) return;
      setMany(null);
      const refused = results.filter(({ error }) => error);
      uncheck(results.filter(({ error }) => !error).map(({ intent_id: id }) => id));
      const decided = words.manyDecided(results.length - refused.length, decision);
      if (refused.length === 0) announce(decided);
      else toast(`${decided} ${words.failed(refused.length)}`, 'bad');
    },
  };
}
