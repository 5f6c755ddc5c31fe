import { ownTools } from '@permitry/protocol';

export const RESULT_TOOL = 'permitry.result';
export const WITHDRAW_TOOL = 'permitry.withdraw';

/** The longest and the default wait of `permitry.result`. */
export const LONGEST_WAIT_SECONDS = 45;
export const USUAL_WAIT_SECONDS = 30;

export const OWN_TOOLS = ownTools({
  result: RESULT_TOOL,
  withdraw: WITHDRAW_TOOL,
  id: {
    connector_request_id: {
      type: 'string',
      minLength: 1,
      maxLength: 64,
      description: 'The connector_request_id from the answer that said `pending` or `executing`.',
    },
  },
  more: {
    wait_seconds: {
      type: 'integer',
      minimum: 0,
      maximum: LONGEST_WAIT_SECONDS,
      default: USUAL_WAIT_SECONDS,
      description: 'How long to wait for the decision before answering that the call is still pending.',
    },
  },
});
