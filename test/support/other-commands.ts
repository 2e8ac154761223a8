/** What the commands without a row of their own (writing-commands.ts) are to writing. */
import type { ROWS } from './writing-commands.ts';

/** Those that ask for the same as a row, by the same code. */
export const SAME: Readonly<Record<string, keyof typeof ROWS>> = {
  'runs again': 'graph replay',
  'fleet again': 'graph replay',
  'fleet cancel': 'runs cancel',
  'chat cleanup': 'chat delete',
  'chat clear': 'chat pin', // which changes a conversation; it has no messages yet
  'chat stop': 'chat pause',
  'schedule start': 'schedule on',
  'schedule stop': 'schedule off',
  'schedule tick': 'schedule trigger',
  'graph schedule backfill': 'schedule backfill',
  'graph schedule delete': 'schedule delete',
  'graph schedule off': 'schedule off',
  'graph schedule on': 'schedule on',
  'graph schedule start': 'schedule on',
  'graph schedule stop': 'schedule off',
  'graph schedule tick': 'schedule trigger',
  'graph schedule trigger': 'schedule trigger',
  'graph import': 'graph new',
  'graph build': 'graph run', // and saves as `graph new`; it needs a model
  'context compact': 'context restore',
  'context report': 'context scan',
  tidy: 'ledger archive',
  // recorded for maintenance, or a run that installs; there is nothing yet that they are about
  'memory undo': 'note',
  'procedures demote': 'note',
  'procedures promote': 'note',
  'tools install': 'graph run',
  'tools prune': 'graph run',
  'tools remove': 'graph run',
  'tools update': 'graph run',
  'requirements resolve': 'answer',
};

/**
 * All others. `reads`: changes nothing. `files`: writes files of its own,
 * and asks nobody. `serves`: goes on until it is ended, or leads a dialog. `beyond`: needs a model, a server or a network to do
 * anything, and has tests where there is one.
 */
export const OTHERS = {
  reads:
    'check,read,runs,find,show,status,metrics,log,chat,chat search,chat view,schedule list,web sessions,accounts list,channels list,channels log,memory,memory about,memory changes,memory daily days,memory daily search,memory fact get,memory fact list,memory fact search,memory pack,memory retrieve,procedures list,procedures show,procedures why,context diff,context get-head,context get-node,context list-frames,context map,context show,context status,context validate,graph diff,graph list,graph render,graph runs,graph schedule list,graph show,graph state checkpoints,graph state get,graph state history,graph state show,graph validate,graph versions,diff,simulate,explain,replay,skills check,skills list,skills show,agents check,agents list,agents show,requirements,tools audit,tools doctor,tools list,mcp list,model list,secrets export-recipient,secrets list,secrets show-usage,classify,doctor,add-on list,service status,verify,schema,backup list,replica status',
  files:
    'init,add,new,chat send,schedule add,graph schedule add,again,correct,unpause,web link,web passphrase,web revoke,web token,accounts add,accounts remove,accounts see,channels add,channels hook,channels pair,procedures export,skills add,skills remove,skills runbook,agents new,requirements contents,mcp add,mcp remove,add-on remove,receipt,rebuild,rebuild index,ledger accept-rollback,backup,backup check,restore,replica off,replica on',
  serves: 'up,worker,maintain,web,chat join,chat open,egress,mcp serve,watch,bench,model setup',
  beyond:
    'ask,accounts test,channels test,channels unpair,context ask,context invalidate,context regenerate,context synthesize,mcp login,mcp logout,mcp test,mcp tools,model test,model use,version,update,add-on add,service install,service logs,service remove,replica backfill,replica pull,replica verify,fleet backfill,fleet create,fleet drain,fleet members,fleet permissions,fleet resume,fleet status,fleet stop,fleet verify,fleet why',
} as const;
