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
      const methods = Array.isArray(error.details.methods) ? error.details.methods.map(String) : ['password'];
      if (!(await ask(methods))) throw error;
      return await change();
    }
  },
};
