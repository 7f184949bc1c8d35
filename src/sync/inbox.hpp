// The inbox: how active messages go from rank to rank of a node. Include this one.
//
//   inbox_credit.hpp    the places in use: taken by the sender, cleared by the last user
//   inbox_queue.hpp     what lies in shared memory: lock, news, claims, channels of slots
//   inbox_sender.hpp    reserve, fill, publish or cancel
//   inbox_consumer.hpp  find, run the handler in place, give back; sleep
//   inbox_memory.hpp    the memory layout, and InboxMessage
//
// Every pair of ranks has its own channel for each class of messages: 16 slots and some payload
// blocks. So a sender competes for space only with itself. A reserved and unpublished slot - an
// open Prepare, a thread without a processor, a killed process - reduces only its own credit. A
// fast sender fills only its own 16 slots.
//
// Owners
//   slot and block   free: no owner. From reserve() to publish() or cancel(): the sender.
//                    From then until the handler has returned: the consumer that claimed it.
//   stamp, news      written by the sender; the stamp by the owner of the slot.
//   claims           written by the holder of the lock of the lane.
//   credit           both: the sender sets a clear bit, the owner of a place clears its bit.
//
// Which release pairs with which acquire
//   publish(): stamp        -> is_ready(): the message and the block are there
//   publish(): news         -> find_news(): the stamp is there
//   give_back(): credit     -> take(): the handler has read the slot or block; it was claimed
//   lock release            -> lock acquire: the claims of the consumer before
//   any of them, then ring_if_asleep()  -> heavy fence and look again in Doorbell::sleep_until()
//
// Order: none. Two messages of a pair may be handled in either order, even from one thread. One
// guarantee: a message published after another was handled, by a sender that knows this, is handled
// after it.
//
// A credit cache. While the threads of a rank take turns, it takes all free credit in advance, and
// uses the slots in order of number. So the receiver knows the slot of each sender's next message.
// The sender writes news only once it has left that order (a reservation was cancelled or published
// late), and from then on always. So most messages use one cache line and no locked instruction.
//
// How the engine uses it
//   - One SharedQueue per (receiver, class), kept with its credit cache; an InboxSender, three
//     words, made on the spot; one InboxConsumer per polling thread and own lane, kept.
//   - Prepare is reserve(), Commit fills in handler and arguments and is publish(), Cancel is
//     cancel(). IMMEDIATE returns "busy" when reserve() returns nothing. Everything else polls its
//     own lanes between tries and, when its policy says so, sleeps on has_room() or a message: the
//     bell that a rank gives for itself is rung for both.
//   - No deadlock: a request handler sends at most one reply and no request, a reply handler sends
//     nothing. A thread that waits for room in a request lane polls both of its own lanes; one that
//     waits for room in a reply lane - within a handler, with the lock of its request lane - polls
//     only replies.
//   - A handler runs under the lock of its lane, so one at a time for each class and rank, on any
//     thread that polls. poll() of other threads returns 0 meanwhile; they may sleep, and are rung.
//   - A thread that waits for the effect of a handler sleeps by InboxConsumer::sleep_until() of
//     one lane. Its condition also calls settle() and has_message() of the other lane's consumer.
//   - What does not fit into the message and into a block is the engine's to split or to put
//     beforehand (Long messages). A rank that died leaves its channels as they are.
//
// Model-checked in tests/unit/inbox_model_test.cpp.
#pragma once

#include "sync/inbox_memory.hpp"
