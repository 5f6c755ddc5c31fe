/** Asks a person to show that they are still there, when a change needs a fresh proof of it. */
import { isRefusal } from './api-error.ts';

type Asker = (methods: readonly string[]) => Promise<boolean>;

let ask: Asker | null = null;

export const confirmPresence = {
  /** Set by the dialog that asks; null when it is gone. */
  set asker(asker: Asker | null) {
    ask = asker;
  },

  /**
   * Runs `change`; when the gate answers `proof_required` with methods of presence, asks, and runs it once more.
   *
   * @throws ApiError what the gate refused; `proof_required` when the person gave up.
   */
  async guard<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } catch (error) {
      if (!isRefusal(error, 'proof_required') || ask === null) throw error;
      const { methods, proof_tier: tier } = error.details;
      // A stronger proof is asked for a decision itself, on the page of the request.
      if (tier !== 'session' || !Array.isArray(methods)) throw error;
      if (!(await ask(methods.map(String)))) throw error;
      return await change();
    }
  },
};
